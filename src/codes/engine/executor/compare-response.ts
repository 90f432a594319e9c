/** E18: compares the response to a POST or PATCH with what was sent. */
import type { CodeChanges, NewCode, QrCode } from '../../../service/shapes.ts';
import { FIELDS, type Field } from '../plan/model.ts';
import { isAlteredName, isSame, lettersOf } from '../plan/values.ts';
import type { Altered } from './job.ts';

/** Returns the fields of a PATCH that still have their old values, although other ones were sent. */
export function fieldsIgnored(before: QrCode, sent: CodeChanges, after: QrCode): Field[] {
  return FIELDS.filter((field) => {
    const [was, wanted, is] = [before[field] ?? '', sent[field], after[field] ?? ''];
    return wanted !== undefined && is === was && !isSame(field, wanted, was);
  });
}

/** Returns whether a new code has neither the name nor the destination that were sent, nor what a service evidently makes of one. */
export function isOther({ name, destination }: NewCode, code: QrCode): boolean {
  if (destination === undefined) return false;
  const place = code.destination ?? '';
  const isName = isSame('name', name, code.name) || isAlteredName(name, code.name);
  return !isName && !isSame('destination', destination, place) && lettersOf(destination) !== lettersOf(place);
}

/** Returns the values that the service stored otherwise than they were sent. */
export function alteredValues(sent: Partial<NewCode> & CodeChanges, after: QrCode): Altered[] {
  return ([...FIELDS, 'type'] as const).flatMap((field) => {
    const [wanted, stored] = [sent[field], after[field] ?? ''];
    return wanted === undefined || wanted === stored ? [] : [{ field, sent: wanted, stored }];
  });
}

/** Returns the changes that a code does not have yet. */
export function missingChanges(wanted: CodeChanges, code: QrCode): CodeChanges {
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== code[field as Field]),
  );
}

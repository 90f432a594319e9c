/** Which codes of the workspace are meant: the filters that the service has not. */
import { CODE_STATUSES, CODE_TYPES, type QrCode } from '../service/shapes.ts';
import { choices, texts } from './define.ts';

export const filterOptions = {
  status: choices('--status <status>', 'only codes of this status', CODE_STATUSES),
  type: choices('--type <type>', 'only codes of this type', CODE_TYPES),
  name: texts('--name <text>', 'only codes with this in their name, in either case'),
};

export type Filters = { [K in keyof typeof filterOptions]: readonly string[] | undefined };

/** Whether a code passes: any of the values of each flag that was given. Names match in part, in either case. */
export function createFilter({ status, type, name }: Partial<Filters>): (code: QrCode) => boolean {
  const parts = name?.map(foldName);
  return (code) =>
    (!status || status.includes(code.status)) &&
    (!type || type.includes(code.type)) &&
    (!parts || parts.some((part) => foldName(code.name).includes(part)));
}

/** A name as it is compared. */
export function foldName(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

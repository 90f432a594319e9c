import { CODE_STATUSES, CODE_TYPES, type QrCode } from '../service/shapes.ts';
import { choices, texts } from './define.ts';

export const filterOptions = {
  status: choices('--status <status>', 'Status', CODE_STATUSES),
  type: choices('--type <type>', 'Select by type', CODE_TYPES),
  name: texts('--name <text>', 'Select by part of the name'),
};

export type Filters = { [K in keyof typeof filterOptions]: readonly string[] | undefined };

/** Creates a test that a code passes if it matches any value of each filter. Names match in part, ignoring case. */
export function createFilter({ status, type, name }: Partial<Filters>): (code: QrCode) => boolean {
  const parts = name?.map(foldName);
  return (code) =>
    (!status || status.includes(code.status)) &&
    (!type || type.includes(code.type)) &&
    (!parts || parts.some((part) => foldName(code.name).includes(part)));
}

export function foldName(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Validation of ledger lines: a line of the wrong shape is refused before the engine uses it. */
import { expect, it } from 'vitest';
import { isLedgerLine } from '#codes/engine/plan/ledger-lines';

const POST = { is: 'post', run: 'r1', n: 1, values: { name: 'Menu' } };
const PATCH = { is: 'patch', run: 'r1', n: 2, id: 'a', set: { name: 'New' }, before: { name: 'Menu' } };

it.each([
  ['a POST', POST],
  ['a POST with all optional fields', { ...POST, key: 'K', again: 1, decided: true, status: 'paused' }],
  ['a run that lists IDs', { is: 'run', run: 'r1', ids: ['a', 'b'] }],
  ['a run without IDs', { is: 'run', run: 'r1' }],
  ['a PATCH that pauses a code', { ...PATCH, pause: 'removed' }],
  ['a PATCH with dated changes', { ...PATCH, due: { status: { atMs: 10, says: 'paused' } } }],
  ['a line with a field from a later version', { ...POST, color: 'red' }],
])('a ledger line is valid: %s', (_, line) => {
  expect(isLedgerLine(line)).toBe(true);
});

it.each([
  ['an unknown kind', { ...POST, is: 'push' }],
  ['the name of a built-in object method as its kind', { ...POST, is: 'toString' }],
  ['a missing field', { is: 'post', run: 'r1', n: 1 }],
  ['a number instead of a text', { ...POST, run: 1 }],
  ['a text instead of a number', { ...POST, n: '1' }],
  ['a fraction as a request number', { ...POST, n: 1.5 }],
  ['a text instead of a flag', { ...POST, decided: 'yes' }],
  ['an optional field of the wrong type', { ...POST, key: 7 }],
  ['a text instead of an object', { ...POST, values: 'Menu' }],
  ['a text instead of a list', { is: 'run', run: 'r1', ids: 'a' }],
  ['an object instead of a list', { is: 'run', run: 'r1', ids: {} }],
  ['a list with an element of the wrong type', { is: 'run', run: 'r1', ids: ['a', 7] }],
  ['an unknown reason for a pause', { ...PATCH, pause: 'lunch' }],
  ['a dated change without a time', { ...PATCH, due: { status: { says: 'paused' } } }],
])('a ledger line is refused if it has %s', (_, line) => {
  expect(isLedgerLine(line)).toBe(false);
});

import { expect, it } from 'vitest';
import { type ResultsCommand, writersOf } from '../../../src/codes/input/results-writer.ts';

it.each<[string, string[], ResultsCommand | undefined, ResultsCommand[]]>([
  ['a creation', ['created', 'failed'], undefined, ['qr create']],
  ['a creation that applied edits', ['exists', 'updated'], undefined, ['qr create']],
  ['a creation that applied nothing but edits, beside its journal', ['updated', 'unchanged'], 'qr create', ['qr create']],
  ['an update', ['updated', 'failed'], undefined, ['qr update', 'qr update --due']],
  ['a plan, beside its journal', ['updated', 'unchanged'], 'qr update --due', ['qr update --due']],
  ['a plan with rows to come', ['unchanged', 'later'], undefined, ['qr update --due']],
  ['a deletion', ['deleted', 'not-attempted'], undefined, ['qr delete']],
  ['an update that replaced a creation', ['unchanged', 'updated'], 'qr delete', ['qr update', 'qr update --due']],
  ['no command', ['created', 'deleted'], undefined, []],
])('results of %s are known by their outcomes', (_, outcomes, journal, commands) => {
  expect(writersOf(outcomes, journal)).toEqual(commands);
});

it('rows that all failed may be of any command, but for the journal beside them', () => {
  expect(writersOf(['failed'], undefined)).toHaveLength(4);
  expect(writersOf(['failed'], 'qr delete')).toEqual(['qr delete']);
});

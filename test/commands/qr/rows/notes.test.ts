import { expect, test } from 'vitest';
import { createProgress } from '#commands/qr/rows/notes';
import { makeCode } from '../../../support/make.ts';

test('the progress of a run warns about a code whose status could not be restored', () => {
  const warnings: string[] = [];
  const console = { warn: (text: string) => warnings.push(text) };
  const progress = createProgress({ console } as never, {} as never, 'deleted');
  progress.take({ is: 'still-paused', code: makeCode({ slug: 'menu' }), error: undefined });
  expect(warnings).toEqual(['menu is still paused after an interrupted backup']);
});

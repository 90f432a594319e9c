import { expect, it } from 'vitest';
import { createSamples } from '../../../../src/codes/engine/creation/samples.ts';

const sample = { t: 1, w: 2, b: 3, valueMs: 4 };

it('holds what several lines of one flush show once, and everything else', () => {
  const samples = createSamples();
  for (let line = 0; line < 3; line++) samples.add(sample);
  expect([samples.count(), samples.at(0), samples.at(1)]).toEqual([1, sample, undefined]);
  for (const field of ['t', 'w', 'b', 'valueMs'] as const) {
    const one = createSamples();
    one.add(sample);
    one.add({ ...sample, [field]: 9 });
    expect([one.count(), one.at(1)?.[field]], field).toEqual([2, 9]);
  }
});

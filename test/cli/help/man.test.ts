import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manPages } from '../../../src/cli/help/man.ts';
import { describeValues, loadManual } from '../../../src/cli/manual.ts';

const manual = await loadManual('1.2.3');
const pages = manPages(manual);
const formatter = 'groff';
const hasGroff = spawnSync(formatter, ['--version']).error === undefined;

const formatted = new Map<string, { text: string; warnings: string }>();

/** Returns a page as a reader sees it, 80 columns wide, and the warnings of the formatter; each page is formatted once. */
function format(text: string): { text: string; warnings: string } {
  const before = formatted.get(text);
  if (before) return before;
  const { stdout, stderr } = spawnSync(formatter, ['-man', '-Tutf8', '-ww', '-P-c', '-rLL=80n'], {
    input: text,
    encoding: 'utf8',
  });
  // Letters struck over each other are bold.
  const made = { text: stdout.replace(/.\x08/g, ''), warnings: stderr };
  formatted.set(text, made);
  return made;
}

describe('manual pages', () => {
  test('there is one for each command and group, and package.json names them all (npm run man-list updates it)', () => {
    const names = [
      [],
      ...manual.groups.map(({ name }) => [name]),
      ...manual.commands.map(({ names }) => names),
    ];
    expect(Object.keys(pages).sort()).toEqual(
      names.map((words) => `${['qrctl', ...words].join('-')}.1`).sort(),
    );
    const { man } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect([...man].sort()).toEqual(
      Object.keys(pages)
        .map((name) => `dist/man/${name}`)
        .sort(),
    );
  });

  test('are plain ASCII, whatever is in the texts', () => {
    for (const text of Object.values(pages)) expect(text).toMatch(/^[\n -~]*$/);
  });

  test.skipIf(!hasGroff).each(Object.entries(pages))('%s is valid roff', (_, text) => {
    expect(format(text).warnings).toBe('');
  });

  test.skipIf(!hasGroff)('say what help says', () => {
    const squeezed = (text: string) => text.replace(/\s+/g, ' ');
    for (const page of manual.commands) {
      const shown = squeezed(format(pages[`qrctl-${page.names.join('-')}.1`] ?? '').text);
      for (const flag of page.flags) expect(shown).toContain(squeezed(describeValues(flag)));
      for (const [command, does] of page.examples) expect(shown).toContain(squeezed(`${does}: ${command}`));
    }
    const whole = squeezed(format(pages['qrctl.1'] ?? '').text);
    expect(whole).toContain('QRCTL_API_KEY');
    expect(whole).toContain('143 terminated');
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manPages } from '#cli/help/man';
import { describeValues, loadManual } from '#cli/manual';

const manual = await loadManual('1.2.3');
const pages = manPages(manual);
const formatter = 'groff';
const hasGroff = spawnSync(formatter, ['--version']).error === undefined;

/** Formats all pages in one run, 80 columns wide. Returns the text of each by the name in its header, and the warnings of the formatter. */
function formatPages(): { texts: Map<string, string>; warnings: string } {
  const { stdout, stderr } = spawnSync(formatter, ['-man', '-Tutf8', '-ww', '-P-c', '-rLL=80n'], {
    input: Object.values(pages).join(''),
    encoding: 'utf8',
  });
  // Letters struck over each other are bold.
  const text = stdout.replace(/.\x08/g, '');
  const texts = text.split(/^(?=QRCTL\S*\(1\) )/m);
  return { texts: new Map(texts.map((page) => [page.slice(0, page.indexOf('(')), page])), warnings: stderr };
}

describe('manual pages', () => {
  test('exist for qrctl, each group and each command, and package.json lists them all (npm run man-list updates it)', () => {
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

  test.each(['qrctl.1', 'qrctl-qr.1', 'qrctl-qr-create.1'])(
    'include %s with exactly the text of its golden file',
    async (name) => {
      await expect(pages[name]).toMatchFileSnapshot(`golden/${name}`);
    },
  );

  test('are plain ASCII', () => {
    for (const text of Object.values(pages)) expect(text).toMatch(/^[\n -~]*$/);
  });

  test.skipIf(!hasGroff)(
    'are formatted by groff without warnings, and contain the flags and examples from help',
    () => {
      const { texts, warnings } = formatPages();
      expect(warnings).toBe('');
      expect(texts.size).toBe(Object.keys(pages).length);
      const squeezed = (text: string) => text.replace(/\s+/g, ' ');
      for (const page of manual.commands) {
        const shown = squeezed(texts.get(`QRCTL-${page.names.join('-').toUpperCase()}`) ?? '');
        for (const flag of page.flags) expect(shown).toContain(squeezed(describeValues(flag)));
        for (const [command, does] of page.examples) expect(shown).toContain(squeezed(`${does}: ${command}`));
      }
      const whole = squeezed(texts.get('QRCTL') ?? '');
      expect(whole).toContain('QRCTL_API_KEY');
      expect(whole).toContain('143 terminated');
    },
  );
});

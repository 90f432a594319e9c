import { describe, expect, test } from 'vitest';
import { ClosedPipeError, InterruptedError, LocalError, NotFoundError, UsageError } from '#base/errors';
import { loadColors } from '#terminal/color';
import { renderError } from '#terminal/render-error';

const text = { json: false, verbose: false };
const json = { json: true, verbose: false };

describe('an error as text', () => {
  test('has the failure on the first line and the hint on the second', () => {
    expect(
      renderError(
        new NotFoundError('no code has the slug "abd"', { hint: 'Did you mean abc?', status: 404 }),
        text,
      ),
    ).toBe('qrctl: no code has the slug "abd"\n  hint: Did you mean abc?\n');
  });

  test('has the label `hint:` on the last line of a hint, but not on a usage line', () => {
    const hinted = (hint: string) => renderError(new UsageError('no', { hint }), text);
    expect(hinted('profile default\nRun `qrctl doctor`.')).toBe(
      'qrctl: no\n  profile default\n  hint: Run `qrctl doctor`.\n',
    );
    expect(hinted('usage: qrctl qr list')).toBe('qrctl: no\n  usage: qrctl qr list\n');
  });

  test('escapes control characters, and indents a second line that begins with `qrctl:`', () => {
    expect(renderError(new UsageError('bad \x1b[2J\nqrctl: done\u202e'), text)).toBe(
      'qrctl: bad \\x1b[2J\n  qrctl: done\\u{202e}\n',
    );
  });

  test('shortens a word of 100,000 characters, so that the text has fewer than 1,000, but not a path of 999 characters', () => {
    const error = new UsageError(`cannot write ${'x'.repeat(100_000)}.csv: the name is too long`, {
      hint: '👍'.repeat(1000),
    });
    for (const style of [text, json]) expect(renderError(error, style).length).toBeLessThan(1000);
    expect(renderError(error, text)).toMatch(
      /^qrctl: cannot write x{128}…x+\.csv: the name is too long\n {2}hint: (👍){128}…(👍){64}\n$/,
    );
    const path = `/${'d'.repeat(998)}`;
    expect(renderError(new UsageError(`cannot write ${path}`), text)).toContain(path);
  });

  test('for a bug in qrctl suggests --verbose, which adds the stack', () => {
    const defect = new TypeError('x is not a function');
    expect(renderError(defect, text)).toMatch(
      /^qrctl: unexpected failure: x is not a function\n {2}.*--verbose.*\n$/,
    );
    expect(renderError(defect, { ...text, verbose: true })).toContain('render-error.test.ts');
    expect(renderError('a string', text)).toContain('unexpected failure: a string');
    expect(renderError(new RangeError(), text)).toContain('unexpected failure: RangeError\n');
    expect(renderError(new LocalError('no space'), { ...text, verbose: true })).toBe('qrctl: no space\n');
  });

  test('is wrapped between words and colored on a terminal', async () => {
    const error = new UsageError('the results are not in the file that was named', { hint: 'name another' });
    expect(renderError(error, text, { columns: 40, colors: await loadColors(true) })).toBe(
      '\x1b[31mqrctl:\x1b[39m the results are not in the file\n  that was named\n  hint: name another\n',
    );
  });

  test('has redacted keys in the message and the hint, and in the error code from the service', () => {
    const key = 'svc_live_canaryCANARY0123456789';
    const error = new NotFoundError(key, { hint: key, code: `bad_${key}` });
    for (const place of [text, json]) expect(renderError(error, place)).not.toContain('canary');
    expect(renderError(error, json)).toContain('"code":"bad_svc_live_cana…"');
  });

  test('is empty for a closed pipe', () => {
    expect(renderError(new ClosedPipeError('gone'), text)).toBe('');
    expect(renderError(new ClosedPipeError('gone'), json)).toBe('');
  });
});

describe('an error as JSON', () => {
  test('is one line with message, code, status, exit code and hint', () => {
    const error = new NotFoundError('no such code', {
      hint: 'qrctl qr list',
      status: 404,
      code: 'not_found',
    });
    expect(renderError(error, json)).toBe(
      '{"error":{"message":"no such code","code":"not_found","status":404,"exit":4,"hint":"qrctl qr list"}}\n',
    );
  });

  test('has null for missing values', () => {
    expect(JSON.parse(renderError(new InterruptedError('SIGINT'), json))).toEqual({
      error: { message: 'interrupted', code: null, status: null, exit: 130, hint: null },
    });
  });

  test('preserves the message exactly, and contains no raw control characters', () => {
    const message = 'two\nlines \x1b[2J \x9b2J \u202e \ufeff \x7f 東京';
    const line = renderError(new UsageError(message), json);
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(line).error.message).toBe(message);
  });
});

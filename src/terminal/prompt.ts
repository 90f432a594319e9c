import type { Readable, Writable } from 'node:stream';
import { InterruptedError, UsageError } from '#base/errors';

/** Editor of the line: Node (`edited`), Node without echo (`secret`), or the terminal (`plain`). */
type Manner = 'edited' | 'plain' | 'secret';

interface PromptOptions {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
  manner: Manner;
}

/** Prompts for a line. Throws InterruptedError on Ctrl-C, UsageError on Ctrl-D, or the signal's reason. */
export async function askLine(
  question: string,
  { input, output, signal, manner }: PromptOptions,
): Promise<string> {
  signal.throwIfAborted();
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ]);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const secret = manner === 'secret';
  const lines = createInterface({
    input,
    output: secret ? nowhere : output,
    terminal: manner !== 'plain',
    historySize: 0,
  });
  const lineStart = question.trimEnd().lastIndexOf('\n') + 1;
  // For a secret, restores Node's normal editor, because its editor for TERM=dumb keeps backspaces.
  if (secret) Reflect.deleteProperty(lines, '_ttyWrite');
  const text = `${question.trimEnd().slice(lineStart)} `;
  if (lineStart > 0) output.write(question.slice(0, lineStart));
  if (secret) output.write(text);
  let onAbort: () => void = () => undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      lines.once('SIGINT', () => reject(new InterruptedError('SIGINT')));
      lines.once('close', () => reject(new UsageError('no input received; no changes were made')));
      // Resumes after Ctrl-Z and `fg`, because Node leaves the input paused and would end.
      lines.on('SIGCONT', () => {
        if (secret) output.write(text);
        lines.resume();
      });
      lines.question(secret ? '' : text, resolve);
    });
  } catch (error) {
    if (!secret) output.write('\n');
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.close();
    if (secret) output.write('\n');
  }
}

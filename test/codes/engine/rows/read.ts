/** Reads files of rows as a command with this verb does. */
import { UsageError } from '#base/errors';
import { checkRows, type RowsOptions } from '#codes/engine/rows/read-rows';
import { parseWithFaults } from '#codes/input/read-input';
import { type Checked, formatFault, type Input, refuseChecked } from '#files/formats/read/input';

export const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';

type Options = Partial<RowsOptions> & { name?: string; bareNames?: boolean };
export type Verb = RowsOptions['verb'];

export async function read(verb: Verb, text: string, options: Options = {}) {
  const { name = 'codes.csv', bareNames, ...more } = options;
  const input: Input = await parseWithFaults(Buffer.from(text), name, { bareNames });
  return { input, ...(await checkRows(input, { verb, ...more })) };
}

/** Lines of the refusal; none if the file is accepted. */
export async function refusal(verb: Verb, text: string, options?: Options): Promise<string[]> {
  const { input, ...checked } = await read(verb, text, options);
  try {
    refuseChecked(input, checked);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return linesOf(error);
  }
  return [];
}

/** Lines below the first one. */
export const linesOf = ({ message }: Error) =>
  message
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

export const told = (faults: Checked<unknown>['faults']) => faults.map((fault) => formatFault(fault, {}));

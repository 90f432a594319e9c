/** `npm run completions`: writes completions/ anew, after commands or flags have changed. */
import { writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { loadManual } from '../commands/manual.ts';
import { completionScripts } from '../help/scripts.ts';

for (const [name, text] of Object.entries(completionScripts(await loadManual(version))))
  await writeFile(`completions/${name}`, text);

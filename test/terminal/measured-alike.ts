/** Makes cli-table3 measure with displayWidth: its own measure, of 2021, is wrong for newer emoji. Import it before cli-table3. */
import { createRequire } from 'node:module';
import { displayWidth } from '../../src/text/display-width.ts';

const fromTable = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
const path = fromTable.resolve('string-width');
fromTable(path);
const own = fromTable.cache[path];
if (own) own.exports = displayWidth;

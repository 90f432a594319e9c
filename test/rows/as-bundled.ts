/** cli-table3 measures with this program's displayWidth, as in the bundles (src/build/bundle.mjs). To be imported before it is. */
import { createRequire } from 'node:module';
import { displayWidth } from '../../src/text/display-width.ts';

const fromTable = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
const path = fromTable.resolve('string-width');
fromTable(path);
const own = fromTable.cache[path];
if (own) own.exports = displayWidth;

/** `npm run layers`: writes the linter's rules of layers.ts. */
import { writeFileSync } from 'node:fs';
import { layerRules } from './layers.ts';

writeFileSync('src/build/layers.json', `${JSON.stringify({ overrides: layerRules() }, null, 2)}\n`);

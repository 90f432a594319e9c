import { readFileSync, writeFileSync } from 'node:fs';
import { layerRules, withLayerTable } from './layers.ts';

const PAGE = '.github/CONTRIBUTING.md';

writeFileSync('src/build/layers.json', `${JSON.stringify({ overrides: layerRules() }, null, 2)}\n`);
writeFileSync(PAGE, withLayerTable(readFileSync(PAGE, 'utf8')));

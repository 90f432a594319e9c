import { readFileSync, writeFileSync } from 'node:fs';
import { layerRules } from './layers.ts';

const overrides = layerRules(readFileSync('.github/CONTRIBUTING.md', 'utf8'));
writeFileSync('src/build/layers.json', `${JSON.stringify({ overrides }, null, 2)}\n`);

/**
 * `npm run words` (part of `npm run lint`): holds the texts that users read to the writing guide, as far as a program can. Reads the strings
 * of `src/` by a parser, and the prose of the papers; prints file, line, text and what to write, and exits with 1 if there is any. Strings of
 * two words or more count, except those of `new Error`, which only a defect shows. `// words-ok: REASON` on the line, or the line
 * above, excuses one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { complaintsOf, describingComplaints, hintComplaints, sourceComplaints } from './rules.mjs';

/** Also texts in other languages. */
const NOT_FOR_USERS = /^src\/(build\/|sandbox\/openapi|scans\/report\/languages\/(?!en\.ts|[a-z]+-|words))/;
const OF_FOLDERS = readdirSync('src', { recursive: true }).filter((name) => name.endsWith('README.md'));
const PAPERS = [
  'README.md',
  'CHANGELOG.md',
  '.github/SECURITY.md',
  '.github/CONTRIBUTING.md',
  ...markdownIn('docs'),
  ...OF_FOLDERS.map((name) => `src/${name}`),
];

/** The functions of define.ts whose second argument describes a flag. */
const DECLARING = new Set([
  'flag',
  'negation',
  'text',
  'integer',
  'choice',
  'choices',
  'duration',
  'parsed',
  'repeated',
  'checked',
]);
/** Ways to combine the parts of one text. */
const COMBINING = new Set(['ConditionalExpression', 'LogicalExpression']);
/** Parts of a syntax tree without texts for users. */
const SKIPPED = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAnnotation',
]);

/** Words that no identifier has, and what to write. */
const OF_IDENTIFIERS = [
  [/colour/i, 'US English: color'],
  [/picture/i, 'write image'],
  [/anew|invain/i, 'write again, or name the reason'],
];

const OF_ROLE = { description: describingComplaints, hint: hintComplaints };

const wanted = process.argv.slice(2);
const isWanted = (file) => wanted.length === 0 || wanted.some((place) => file.startsWith(place));
let texts = 0;
let faults = 0;

for (const name of readdirSync('src', { recursive: true })) {
  const file = `src/${name}`;
  if (file.endsWith('.ts') && !NOT_FOR_USERS.test(file) && isWanted(file))
    checkSource(file, readFileSync(file, 'utf8'));
}
for (const name of ['src', 'test'].flatMap((root) =>
  readdirSync(root, { recursive: true }).map((each) => `${root}/${each}`),
)) {
  if (/\.(ts|mjs)$/.test(name) && isWanted(name)) checkIdioms(name, readFileSync(name, 'utf8'));
}
for (const file of PAPERS.filter(isWanted)) checkPaper(file, readFileSync(file, 'utf8'));
console.log(`${texts} texts, ${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;

function checkSource(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const lines = source.split('\n');
  for (const { node, role } of textsIn(program)) {
    const text = textOf(node);
    if (!/[\p{L}…][^\p{L}]*\s[^\p{L}]*\p{L}/u.test(text)) continue;
    const line = source.slice(0, node.start).split('\n').length;
    if (lines.slice(Math.max(0, line - 2), line).some((each) => each.includes('words-ok:'))) continue;
    report(file, line, text, [
      ...complaintsOf(text),
      ...sourceComplaints(text),
      ...(OF_ROLE[role]?.(text) ?? []),
    ]);
  }
}

/** Names of the glossary in the code itself, and literals that are spread only to steer the formatter. */
function checkIdioms(file, source) {
  const found = new Map();
  const visit = (node, parent) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const child of node) visit(child, parent);
      return;
    }
    const isLiteral = node.type === 'SpreadElement' && node.argument.type === 'ObjectExpression';
    if (isLiteral && parent?.type === 'ObjectExpression')
      found.set(`...{ at ${node.start}`, ['write the properties without the spread', node.start]);
    if (node.type === 'Identifier')
      for (const [word, advice] of OF_IDENTIFIERS)
        if (word.test(node.name)) found.set(node.name, [advice, node.start]);
    for (const child of Object.values(node)) visit(child, node);
  };
  visit(parseSync(file, source).program);
  for (const [name, [advice, start]] of found)
    report(file, source.slice(0, start).split('\n').length, name, [advice]);
}

/** Each string, or strings joined by `+`, with its role: whether it describes a flag or a command, or is a hint. */
function* textsIn(node, role) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* textsIn(child, role);
    return;
  }
  if (SKIPPED.has(node.type) || (node.type === 'NewExpression' && node.callee.name === 'Error')) return;
  if (textOf(node) !== undefined) yield { node, role };
  if (node.type === 'TemplateLiteral') return yield* textsIn(node.expressions);
  if (node.type === 'CallExpression' && DECLARING.has(node.callee.name)) {
    const [first, second, ...others] = node.arguments;
    yield* textsIn(second, 'description');
    return yield* textsIn([first, ...others]);
  }
  if (node.type === 'ObjectExpression') {
    const keys = node.properties.map(({ key }) => key?.name);
    for (const property of node.properties) {
      const isFlag = property.key?.name === 'description' && keys.includes('flags');
      const isCommand = property.key?.name === 'summary' && keys.includes('name');
      const own = isFlag || isCommand ? 'description' : property.key?.name === 'hint' ? 'hint' : undefined;
      yield* textsIn(property.value ?? property.argument, own);
    }
    return;
  }
  if (textOf(node) !== undefined) return;
  if (node.type === 'VariableDeclarator' && node.id.name === 'hint') return yield* textsIn(node.init, 'hint');
  if (node.type === 'AssignmentExpression' && node.left.property?.name === 'hint')
    return yield* textsIn(node.right, 'hint');
  if (COMBINING.has(node.type)) {
    const { test, ...parts } = node;
    if (test) yield* textsIn(test);
    return yield* textsIn([parts.consequent, parts.alternate, parts.left, parts.right].filter(Boolean), role);
  }
  for (const [key, child] of Object.entries(node))
    if (key !== 'key' && key !== 'source') yield* textsIn(child);
}

/** The text of a string, with `…` for what is inserted; undefined for anything else. */
function textOf(node) {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('…');
  if (node?.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Paragraphs, list items and cells; no code blocks. */
function checkPaper(file, paper) {
  const prose = paper.replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replace(/[^\n]/g, ''));
  let line = 1;
  for (const block of prose.split(/(\n(?=\s*(?:[-*#|>]|\d+\.|$)))/)) {
    for (const cell of block.startsWith('|') ? block.split('|') : [block]) {
      if (/\p{L}\s+\p{L}/u.test(cell))
        report(file, line, cell.replace(/\s+/g, ' ').trim(), complaintsOf(cell.replace(/\]\([^)]*\)/g, ']')));
    }
    line += block.split('\n').length - 1;
  }
}

function report(file, line, text, found) {
  texts += 1;
  faults += found.length;
  if (found.length > 0)
    console.log(
      `${file}:${line}: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}\n${found.map((each) => `    ${each}\n`).join('')}`,
    );
}

function markdownIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** The words that no text for users has, after the writing guide of the project, and what to write for them. */

/** Each is searched without regard to capitals. */
const RULES = [
  [
    /\b(anew|midst|noughts?|for ever|till|in vain|all the same|such as are)\b/,
    'archaic; write again, permanently, until, …',
  ],
  [/\bmend(s|ed|ing)?\b/, 'write fix, repair or correct'],
  [/\bbeside\b/, 'write next to, alongside or with'],
  [/\b(stands|stood)\b/, 'write is or was'],
  [
    /\b(somebody|someone|whoever|a person|nobody)\b/,
    'write you, or name the party: another process, another user',
  ],
  [/\bwhat\b/, 'name the thing'],
  [/\b(says?|said|tells?|told|telling)\b/, 'software reports, prints or returns'],
  [/\b(goes?|going|went|gone) on\b/, 'write continue or resume'],
  [/\b(goes|go) (with|well with)\b/, "write X requires Y, or X can't be used with Y"],
  [/\b(leaves?|leaving|left) out\b/, 'write omit'],
  [/(?<!lose-)\banswer(s|ed|ing)?\b/, 'write response, or respond'],
  [/\bask(s|ed|ing)?\b/, 'write request, query or fetch; only prompts ask'],
  [/\bpictures?\b/, 'write image'],
  [/\b(is|are|was|were) no [a-z]+/, 'write is not a …, or there is no …', /\bthere (is|are|was|were) no /],
  [/\b(has|have|had) not\b(?! (been|yet|changed|ended|responded|finished))/, 'write lacks'],
  [
    /\b(foreign|half-separated|torn|landing|turned away|staying away|in force|defus\w+|disarm\w*)\b/,
    'see the glossary',
  ],
  [
    /\b(colou?red colour|colours?|licence|grey|millimetres?|centre|honou?red|behaviour|recognis\w+|neighbour\w*)\b/,
    'US English',
  ],
  [/\b(unproven|proven|proof|proves?)\b/, 'write verified as complete, or could not be verified'],
  [/\bsecond codes?\b/, 'write duplicate code'],
  [/\bso (many|much|long|far) (as|to|that|a|of|rows|codes|time)\b/, 'give the number or the limit'],
  [
    /\bwhere (there|it|they|one|no|nothing|something|that|this|these|none)\b/,
    'write if; where is for places',
  ],
  [
    /\b(one|\d+|files?|lines?|objects?|requests?|pages?|rows?|ids?|images?|times?|modules?|dots) an? (code|minute|hour|line|row|second|file|host|page|day|night|run|month|side|module|inch|label|request)\b/,
    'write per',
  ],
  [/\b(rooms?|floors?|promises?|house)\b/, 'write module, layer or guarantee'],
  [
    /\b(choose|use|pass|specify) (another|an other) (file|director|path)|\b(choose|use|pass) a different (file|director|path)/,
    'write specify a different …',
  ],
  [/\bmutants that live\b/, 'write surviving mutants'],
  [/\b(lies?|lying|lied)\b/, 'no personification: write is, or reports wrong …'],
  [/\bexit(s|ed|ing)? with \d/, 'write exit with code N'],
  [/\b(run|try|do) this again\b/, 'write the command, or the same command'],
  [/\bleads? (back )?to\b/, 'write points to, or opens'],
  [/\bleads? nowhere\b/, 'write cannot be opened'],
  [/\bthere (is|are) no such\b/, 'write X not found, or no such X'],
  [/\banother run that (?!is\b)[a-z]+s\b/, 'write another run that is …ing'],
];

/** Searched as written: `id` is the name of a column and of a key in JSON. */
const CASED_RULES = [[/\b(an?|no|the|valid|its) ids?\b(?! (or slug )?column)/, 'write ID']];

/** Longest sentence, in words. */
const MOST_WORDS = 25;
const MOST_WORDS_OF_HINT = 15;

/** First words of a flag's description that leave it without a verb or a noun of its own. */
const WEAK_STARTS = new Set(
  'a an the its it of at behind so as in with from to what which where how who also only same like by or and but for on than then'.split(
    ' ',
  ),
);

/** The complaints about a text: the words found, and what to write. `text` has `…` for each inserted value. */
export function complaintsOf(text) {
  const plain = text.replace(/`[^`]*`/g, '`…`');
  const found = RULES.flatMap(([pattern, advice, except]) => {
    const match = new RegExp(pattern.source, 'i').exec(plain);
    return match && !(except && new RegExp(except.source, 'i').test(plain))
      ? [`"${match[0]}": ${advice}`]
      : [];
  });
  for (const [pattern, advice] of CASED_RULES) {
    const match = pattern.exec(plain);
    if (match) found.push(`"${match[0]}": ${advice}`);
  }
  const longest = wordsOfLongest(plain, /(?<=[.?!:;])\s+|\n+/);
  if (longest > MOST_WORDS) found.push(`a sentence of ${longest} words: at most ${MOST_WORDS}`);
  return found;
}

function wordsOfLongest(text, end) {
  return Math.max(
    ...text.split(end).map((sentence) => sentence.split(/\s+/).filter((word) => /\w|…/.test(word)).length),
  );
}

/** The complaints about the description of a flag, or the summary of a command. */
export function describingComplaints(text) {
  const [first = ''] = text.split(/\s/);
  const found = [];
  if (!/^["'`([]?[A-Z…]/.test(text)) found.push('begin with a capital letter');
  if (WEAK_STARTS.has(first.toLowerCase())) found.push(`begins with "${first}": begin with a verb or a noun`);
  if (/\.$/.test(text) && !/[.?!] [A-Z]/.test(text)) found.push('one sentence has no final period');
  return found;
}

/** The complaints about a text in the source: a paper sets flags as code, a terminal does not. */
export function sourceComplaints(text) {
  const found = /`-{1,2}[a-z]/i.test(text)
    ? ['write a flag without backquotes; they enclose a whole command']
    : [];
  const sentences = text.replace(/`[^`]*`/g, '`…`').split(/(?<=[.?!])\s+|\n+/);
  if (sentences.some(isCrowded)) found.push('a colon and a semicolon in one sentence: split it');
  return found;
}

/** Parentheses have their own punctuation. */
function isCrowded(sentence) {
  const outside = sentence.replace(/\([^)]*\)/g, '');
  return /[\p{L}…]:\s/u.test(outside) && /;\s/.test(outside);
}

/** The complaints about a hint: one or more full sentences. Parts that are inserted are hints, or checked where they are written. */
export function hintComplaints(text) {
  const found = [];
  if (/^[a-z]/.test(text) && !text.startsWith('usage: ')) found.push('begin a hint with a capital letter');
  if (!/([.?!]|…)$/.test(text) && !text.startsWith('usage: ')) found.push('end a hint with a period');
  const longest = wordsOfLongest(text.replace(/`[^`]*`/g, '`…`'), /(?<=[.?!])\s+|\n+/);
  if (longest > MOST_WORDS_OF_HINT)
    found.push(`a hint with a sentence of ${longest} words: at most ${MOST_WORDS_OF_HINT}`);
  return found;
}

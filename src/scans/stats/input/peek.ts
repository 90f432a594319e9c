/** Detects the kind of a file from its beginning: a directory of scans also has files about codes or runs. */
import { readInputBytes } from '../../../files/formats/read/input-bytes.ts';

/**
 * Returns `scans` (also if the file is empty or can't be read, because the reader reports the reason), `codes` for a table of codes or of
 * results, `record` for one JSON object, such as the summary of a run or a code that `qr delete --backup` wrote, or `other`.
 */
export async function peekInput(path: string): Promise<'scans' | 'codes' | 'record' | 'other'> {
  const start = await firstPiece(path);
  if (start === undefined || start.toString('latin1', 0, 4) === 'PAR1') return 'scans';
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') return 'scans';
  if (text[0] === '[' || text[0] === '{') return kindOfJson(text, /\.json$/i.test(path));
  const names = (/^[^\r\n]*/.exec(text)?.[0] ?? '')
    .split(/[,;\t|]/)
    .map((name) => name.replaceAll('"', '').trim());
  if (names.includes('ts')) return 'scans';
  return names.includes('slug') || names.includes('outcome') ? 'codes' : 'other';
}

async function firstPiece(path: string): Promise<Buffer | undefined> {
  try {
    for await (const piece of readInputBytes(path)) return Buffer.from(piece);
    return Buffer.of();
  } catch {
    return undefined;
  }
}

function kindOfJson(text: string, isOneDocument: boolean): 'scans' | 'codes' | 'record' | 'other' {
  const end = text.indexOf('}');
  const first = end < 0 ? text : text.slice(0, end);
  if (/"ts"\s*:/.test(first) || /^\[\s*\]/.test(text)) return 'scans';
  if (text[0] === '{' && isOneDocument) return 'record';
  return /"slug"\s*:/.test(first) ? 'codes' : 'other';
}

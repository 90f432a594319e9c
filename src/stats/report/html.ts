/** HTML in which every value is text: names and referrers are written by strangers. */
import { clean } from '../../text/clean.ts';

/** Markup that was put together here, not text. */
export interface Html {
  readonly markup: string;
  toString(): string;
}

type Part = string | number | Html | readonly Part[];

/** Markup as it stands. */
export function raw(markup: string): Html {
  return { markup, toString: () => markup };
}

/** Markup with values: text is escaped, markup and lists of it are not. F10: no value becomes markup, and none hides or turns what is around it. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return raw(strings.map((string, i) => string + (i < parts.length ? render(parts[i] as Part) : '')).join(''));
}

function render(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return asText(part);
  return 'markup' in part ? part.markup : part.map(render).join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function asText(text: string): string {
  return clean(text).replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

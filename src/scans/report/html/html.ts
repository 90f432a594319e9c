import { clean } from '#base/text/clean';

export interface Html {
  markup: string;
}

type Part = string | number | Html | readonly Part[];

export function raw(markup: string): Html {
  return { markup };
}

/** F10: fills in a template. Escapes every value except Html. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return raw(
    strings.map((string, i) => string + (i < parts.length ? render(parts[i] as Part) : '')).join(''),
  );
}

function render(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return clean(part).replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
  return 'markup' in part ? part.markup : part.map(render).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

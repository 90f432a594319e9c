import { inQuotes, inShell } from '#base/text/quote';
import {
  type Fault,
  fold,
  type Input,
  isAddress,
  type NamedColumns,
  type ReadOptions,
} from '#files/formats/read/input';
import { CODE_STATUSES, CODE_TYPES } from '#service/shapes';

export const COLUMN_FIELDS = ['key', 'id', 'slug', 'name', 'type', 'destination', 'status', 'at'] as const;
type ColumnField = (typeof COLUMN_FIELDS)[number];

const WORDS: Readonly<Partial<Record<ColumnField, string>>> = {
  key: 'schlüssel clé clave chiave sleutel chave klucz キー المفتاح مفتاح',
  name: 'bezeichnung titel nom titre intitulé nombre título nome titolo naam nazwa tytuł 名前 名称 الاسم اسم',
  type: 'typ art tipo soort rodzaj 種類 種別 タイプ النوع نوع',
  destination:
    'url link target address ziel zieladresse adresse lien cible destino enlace dirección destinazione indirizzo collegamento bestemming doel adres endereço cel リンク リンク先 転送先 アドレス الوجهة وجهة الرابط رابط',
  status: 'zustand statut état estado stato toestand situação stan 状態 ステータス الحالة حالة',
  at: 'datum zeitpunkt date fecha data 日時 日付 التاريخ تاريخ',
};

/**
 * Words that also mean a postal address. A column with such a name is the destination only if it has a web
 * address.
 */
const POSTAL = new Set(['adresse', 'dirección', 'indirizzo', 'adres', 'endereço', 'アドレス']);

const FIELD_OF_WORD = new Map(
  COLUMN_FIELDS.flatMap((field) => (WORDS[field] ?? '').split(' ').map((word) => [word, field] as const)),
);

/** Column that only `qr image` manifests have. Their `url` contains short URLs, not destinations. */
const OF_MANIFEST = 'sha256';

const foldWord = (column: string) => fold(column.normalize('NFC'));

export function isHeaderWord(column: string): boolean {
  return FIELD_OF_WORD.has(foldWord(column));
}

type Options = Pick<ReadOptions, 'column' | 'isDated' | 'key'>;

export function nameColumns(
  columns: readonly string[],
  { column: given = [], isDated, key }: Options,
  fits: (column: string, field: ColumnField) => boolean = () => true,
): NamedColumns & { faults: readonly Fault[] } {
  const fields = new Map<string, string>();
  const ambiguous = new Map<string, readonly string[]>();
  const faults: Fault[] = [];
  const names = columns.map(fold);
  for (const [field, header] of given) {
    const column = columns.find((one) => one === header) ?? columns.find((one) => fold(one) === fold(header));
    if (column === undefined)
      faults.push({ message: `no column has the header ${inQuotes(header)} of --column ${field}=…` });
    else {
      const exact = columns.find((one) => fold(one) === field);
      if (exact !== undefined) fields.set(exact, '');
      fields.set(column, field);
    }
  }
  const isSet = (field: string) => names.includes(field) || [...fields.values()].includes(field);
  for (const field of COLUMN_FIELDS) {
    if (isSet(field) || (field === 'at' && !isDated)) continue;
    if (field === 'destination' && names.includes(OF_MANIFEST)) continue;
    const [column, ...more] = columns.filter(
      (one) =>
        !fields.has(one) &&
        fold(one) !== key?.toLowerCase() &&
        FIELD_OF_WORD.get(foldWord(one)) === field &&
        fits(one, field),
    );
    if (column !== undefined && more.length > 0) ambiguous.set(field, [column, ...more]);
    else if (column !== undefined) fields.set(column, field);
  }
  return { fields, ambiguous, faults };
}

const SAMPLE = 200;

const WORDS_OF_CELLS: Readonly<Partial<Record<ColumnField, readonly string[]>>> = {
  type: CODE_TYPES,
  status: CODE_STATUSES,
};

/**
 * Assigns fields to columns with translated names. A word for the type, the status or a postal address counts
 * only if one of the first cells in the column has a valid value.
 */
export function withNamedColumns(input: Input, options: Options): Input {
  const fits = (column: string, field: ColumnField) => {
    const words = WORDS_OF_CELLS[field];
    if (words === undefined && !POSTAL.has(foldWord(column))) return true;
    const isValue = (cell: string) => words?.includes(fold(cell)) ?? isAddress(cell);
    return input.rows.slice(0, SAMPLE).some(({ values }) => isValue(String(values.get(column) ?? '')));
  };
  const { fields, ambiguous, faults } = nameColumns(input.columns, options, fits);
  const ofHeader = faults.map((fault) => ({ ...fault, line: input.headerLine }));
  return { ...input, named: { fields, ambiguous }, faults: [...(input.faults ?? []), ...ofHeader] };
}

export function fieldOf({ named }: Input, column: string): string {
  return named?.fields.get(column) ?? fold(column);
}

export function ambiguity(field: string, columns: readonly string[]): string {
  const [first = ''] = columns;
  return `columns ${columns.map(inQuotes).join(' and ')} could each be the ${field}: rename the correct one to ${field}, or add --column ${inShell(`${field}=${first}`)}`;
}

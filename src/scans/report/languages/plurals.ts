/**
 * CLDR 48 plural rules, because Intl.PluralRules depends on the Node version
 * (https://www.unicode.org/cldr/charts/48/supplemental/language_plural_rules.html).
 */

const oneOrOther = (n: number) => (n === 1 ? 'one' : 'other');
/** Whether Romance languages add `de`, as in `1 000 000 de scans`. */
const isMillions = (n: number) => n !== 0 && n % 1_000_000 === 0;
const manyOrOther = (n: number) => (isMillions(n) ? 'many' : 'other');
const oneManyOther = (n: number) => (n === 1 ? 'one' : manyOrOther(n));
const zeroIsOne = (n: number) => (n === 0 || n === 1 ? 'one' : manyOrOther(n));

const RULES = {
  en: oneOrOther,
  de: oneOrOther,
  fr: zeroIsOne,
  es: oneManyOther,
  it: oneManyOther,
  nl: oneOrOther,
  pt: zeroIsOne,
  pl: (n: number) => {
    if (n === 1) return 'one';
    const isTeen = n % 100 >= 12 && n % 100 <= 14;
    return n % 10 >= 2 && n % 10 <= 4 && !isTeen ? 'few' : 'many';
  },
  ja: () => 'other' as const,
  ar: (n: number) => {
    if (n === 0) return 'zero';
    if (n <= 2) return n === 1 ? 'one' : 'two';
    if (n % 100 >= 3 && n % 100 <= 10) return 'few';
    return n % 100 >= 11 ? 'many' : 'other';
  },
};

export type Language = keyof typeof RULES;
export type Category<L extends Language> = ReturnType<(typeof RULES)[L]>;

export const PLURAL_RULES: { readonly [L in Language]: (n: number) => Category<L> } = RULES;

export const LANGUAGES = Object.keys(PLURAL_RULES) as readonly Language[];

/** Matches a long number as spreadsheets save it: `1.23457E+19`. */
const SHORTENED = /^-?\d(?:[.,](\d+))?E[+-]\d{2,3}$/;

const NUMBER = /^-?[\d.,]+(e[+-]?\d+)?$/i;

const MOST_DIGITS = 15;

export function isShortened(text: string): boolean {
  return SHORTENED.test(text);
}

export function isShortenedFrom(text: string, value: string): boolean {
  const [match, digits = ''] = SHORTENED.exec(text) ?? [];
  if (match === undefined || digits.length > MOST_DIGITS || !NUMBER.test(value)) return false;
  const [shortened, given] = [text, value].map((number) => Number(number.replace(',', '.')));
  return (
    Number.isFinite(given) && given?.toExponential(digits.length) === shortened?.toExponential(digits.length)
  );
}

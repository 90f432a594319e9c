/** `1.23457E+19`: a number with many digits as a spreadsheet displays it, and saves it as CSV. */
const SHORTENED = /^-?\d(?:[.,](\d+))?E[+-]\d{2,3}$/;

const NUMBER = /^-?[\d.,]+(e[+-]?\d+)?$/i;

/** Digits of a number in a spreadsheet. */
const MOST_DIGITS = 15;

/** Returns whether a cell looks like a long number shortened by a spreadsheet. */
export function isShortened(text: string): boolean {
  return SHORTENED.test(text);
}

/** Returns whether a cell is this value shortened by a spreadsheet: no user types that instead of the digits. */
export function isShortenedFrom(text: string, value: string): boolean {
  const [match, digits = ''] = SHORTENED.exec(text) ?? [];
  if (match === undefined || digits.length > MOST_DIGITS || !NUMBER.test(value)) return false;
  const [shortened, given] = [text, value].map((number) => Number(number.replace(',', '.')));
  return (
    Number.isFinite(given) && given?.toExponential(digits.length) === shortened?.toExponential(digits.length)
  );
}

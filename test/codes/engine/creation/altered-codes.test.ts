import { describe, expect, it } from 'vitest';
import { createAlteredSearch } from '../../../../src/codes/engine/creation/altered-codes.ts';
import type { RowToFind } from '../../../../src/codes/engine/creation/deal-out.ts';
import type { NewCode, QrCode } from '../../../../src/service/shapes.ts';

const T0 = Date.UTC(2026, 0, 1);
const NAME = 'A poster in the park';
const URL = 'https://x.de';

function code(id: string, atMs: number, more: Partial<QrCode> = {}): QrCode {
  const at = new Date(T0 + atMs).toISOString();
  const fixed = { slug: `s-${id}`, name: NAME, type: 'url', destination: URL, status: 'active' };
  return { id, ...fixed, created_at: at, updated_at: at, ...more };
}

/** A row sent at 5.4 s, whose code was made by 7.2 s if it was made. */
function row(more: Partial<NewCode> = {}, foreign: ReadonlySet<string>[] = []): RowToFind {
  const bounds = { doubtfulFromMs: T0, fromMs: T0 + 5400, toMs: T0 + 7200, doubtfulToMs: T0 + 9000 };
  return { row: 1, code: { name: NAME, destination: URL, ...more }, bounds, foreign };
}

const found = (listing: QrCode[], of = row()) => createAlteredSearch(listing)(of).map(({ id }) => id);
/** Whether a code of this name may be what became of a row of that one. */
const becomes = (sent: string, name: string) => found([code('x', 6000, { name })], row({ name: sent })).length > 0;

describe('the name of an altered code', () => {
  it('has the letters and digits that were sent, in whatever size and form (O30)', () => {
    expect(becomes('Park 7', 'PARK-7')).toBe(true);
    expect(becomes('Caf\u00e9 №7', 'cafe\u0301 no7')).toBe(true);
    expect(becomes('a & b', 'a  b')).toBe(true);
    expect(becomes('Große Straße', 'GROSSE STRASSE')).toBe(true);
    expect(becomes('Park 7', 'Park 8')).toBe(false);
    expect(becomes('Park 7', 'Park')).toBe(false);
  });

  it.each(['&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#39;', '&#039;', '&#x27;', '&AMP;'])(
    'may have %s in it (O30)',
    (entity) => {
      expect(becomes("Mom's tea", `Mom${entity}s tea`)).toBe(true);
    },
  );

  it('may be cut, at its sixteenth character or later (O30)', () => {
    expect(becomes(NAME, NAME.slice(0, 16))).toBe(true);
    expect(becomes(NAME, NAME.slice(0, 15))).toBe(false);
    expect(becomes(NAME, `${NAME.slice(0, 16)}!`)).toBe(true);
    expect(becomes(NAME, 'A poster in the pond')).toBe(false);
    // What is left begins as what was sent, not the other way round.
    expect(becomes(NAME, `${NAME} again`)).toBe(false);
    expect(becomes(NAME, `the park ${NAME}`)).toBe(false);
  });

  it('has eight letters at least where it was cut', () => {
    expect(becomes('~~~~~~~~ park 1234 56', '~~~~~~~~ park 1234')).toBe(true);
    expect(becomes('~~~~~~~~ park 1234 56', '~~~~~~~~ park 12')).toBe(false);
    expect(becomes('~~~~~~~~ park', '-')).toBe(false);
  });
});

describe('the name of a code whose type and destination are the row’s', () => {
  const mangled: [string, string][] = [
    ['Speisekarte Frühling 2026', 'Speisekarte Fr?hling 2026'],
    ['Café', 'Caf?'],
    ['Große Straße', 'Gro?e Stra\ufffde'],
    ['Меню', '????'],
    ['Menü für Gäste', 'MenÃ¼ fÃ¼r GÃ¤ste'],
    ['Меню №1', 'ÐœÐµÐ½ÑŽ â„–1'],
    ['海报 A & B', '海 A &amp; B'],
  ];
  it.each(mangled)('may have lost what is not ASCII in it: %s, %s (O30)', (sent, name) => {
    expect(becomes(sent, name)).toBe(true);
    const other = { name, destination: 'https://other.example' };
    expect(found([code('x', 6000, other)], row({ name: sent }))).toEqual([]);
    // The address may have been tidied as well.
    expect(found([code('x', 6000, { name, destination: `${URL}/` })], row({ name: sent }))).toEqual(['x']);
    expect(found([code('x', 7201, { name })], row({ name: sent }))).toEqual([]);
  });

  it.each([
    ['海报甲', '海报乙'],
    ['Меню', 'Обед'],
    ['Frühling 1', 'Fr?hling 2'],
    ['Spring 1', 'Sprüing 1'],
  ])('has not changed otherwise: %s, %s', (sent, name) => {
    expect(becomes(sent, name)).toBe(false);
  });

  it('is shown among twenty at most', () => {
    const listing = Array.from({ length: 25 }, (_, n) => code(`${n}`, 6000 + n, { name: 'Caf?' }));
    expect(found(listing, row({ name: 'Café' }))).toEqual(listing.slice(0, 20).map(({ id }) => id));
  });
});

describe('an altered code', () => {
  it('has the type or the destination that was sent (O30)', () => {
    const as = (more: Partial<QrCode>, sent: Partial<NewCode> = {}) => found([code('x', 6000, more)], row(sent)).length > 0;
    expect(as({ destination: 'https://y.de' })).toBe(true);
    expect(as({ type: 'menu' })).toBe(true);
    expect(as({ type: 'menu', destination: null })).toBe(false);
    expect(as({ type: 'menu', destination: 'https://y.de' }, { type: 'menu' })).toBe(true);
    expect(as({ destination: null }, { type: 'menu' })).toBe(false);
    // Neither was given a destination.
    const { destination: _, ...bare } = row().code;
    const without = { ...row(), code: { ...bare, type: 'menu' } };
    expect(found([code('x', 6000, { destination: null })], without)).toEqual(['x']);
    expect(found([code('x', 6000)], without)).toEqual([]);
  });

  it('was made in the time of its row, to the moment (O30)', () => {
    const listing = [7201, 5399, 7200, 6000, 5400, 0, 100_000].map((atMs) => code(`${atMs}`, atMs));
    expect(found(listing)).toEqual(['5400', '6000', '7200']);
  });

  it('was so also where its time has no fraction, and others have one (O30)', () => {
    const coarse = (atMs: number) => code(`${atMs}`, 0, { created_at: new Date(T0 + atMs).toISOString().replace('.000', '') });
    const seconds = [4000, 5000, 6000, 7000, 8000].map(coarse);
    expect(found(seconds)).toEqual(['5000', '6000', '7000']);
    // The second of 7 s ends after 7.5 s, and began before it.
    expect(found([code('y', 7500), coarse(7000)])).toEqual(['7000']);
    const ending = row();
    ending.bounds.fromMs = T0 + 5999;
    expect(found([coarse(5000)], ending)).toEqual(['5000']);
    ending.bounds.fromMs = T0 + 6000;
    expect(found([coarse(5000)], ending)).toEqual([]);
  });

  it('has a time that can be read', () => {
    expect(found([code('x', 0, { created_at: 'soon' }), code('y', 6000)])).toEqual(['y']);
  });

  it('is none that is known not to be the row’s, whenever that was found out (O11)', () => {
    expect(found([code('x', 6000), code('y', 6001)], row({}, [new Set(), new Set(['x'])]))).toEqual(['y']);
  });

  it('is shown among twenty at most', () => {
    const listing = Array.from({ length: 25 }, (_, n) => code(`${n}`, 6000 + n));
    expect(found(listing)).toEqual(listing.slice(0, 20).map(({ id }) => id));
  });
});

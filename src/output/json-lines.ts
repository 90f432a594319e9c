/**
 * Records as JSON, each what JSON.stringify makes of it, but as bytes and in half the time: what stands under a key comes
 * again and again (countries, browsers), so it is encoded once and copied from then on.
 */
import { Buffer } from 'node:buffer';
import { createRoom } from '../room.ts';
import type { Printable } from './columns.ts';
import { formatCompact } from './format-json.ts';

export interface JsonLines {
  add(row: Printable): void;
  /** Adds what stands between records; ASCII. */
  addText(text: string): void;
  /** The UTF-8 of all since the last call; valid until something is added again. */
  take(): Uint8Array;
}

/** Values remembered of a key. Where more come they hardly repeat, as those of ids and times. */
const MOST_VALUES = 1000;
const LONGEST_VALUE = 100;
/** A scan has eight keys; a service that makes up ever new ones must not fill the memory. */
const MOST_KEYS = 100;

interface Member {
  key: string;
  /** `,"key":` */
  opening: Buffer;
  /** From a value to `,"key":value`; undefined once the values have turned out not to repeat. */
  known: Map<unknown, Buffer> | undefined;
}

export function createJsonLines(): JsonLines {
  const room = createRoom();
  const members = new Map<string, Member>();
  /** Those of the record before: the next one mostly has the same keys in the same order. */
  const order: Member[] = [];

  function memberAt(place: number, key: string): Member {
    const usual = order[place];
    if (usual?.key === key) return usual;
    if (members.size >= MOST_KEYS) members.clear();
    const member = members.get(key) ?? { key, opening: Buffer.from(`,${JSON.stringify(key)}:`), known: new Map() };
    members.set(key, member);
    if (place < MOST_KEYS) order[place] = member;
    return member;
  }

  function addMember(member: Member, value: unknown): void {
    const bytes = member.known?.get(value) ?? remember(member, value);
    if (bytes) {
      room.add(bytes);
      return;
    }
    room.add(member.opening);
    addValue(value);
  }

  function addValue(value: unknown): void {
    if (Number.isSafeInteger(value)) addText(`${value}`);
    else if (typeof value !== 'string' || !addPlain(value)) room.add(Buffer.from(formatCompact(value)));
  }

  /** Adds a text in quotes; or nothing, and says false, where one of its characters takes more than itself. */
  function addPlain(text: string): boolean {
    const start = room.size() + 1;
    const bytes = room.reserve(text.length + 2);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return false;
      bytes[start + i] = unit;
    }
    bytes[start - 1] = QUOTE;
    bytes[start + text.length] = QUOTE;
    room.advance(text.length + 2);
    return true;
  }

  function addText(text: string): void {
    const start = room.size();
    const bytes = room.reserve(text.length);
    for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i);
    room.advance(text.length);
  }

  return {
    add(row) {
      const start = room.size();
      let place = 0;
      for (const key in row) {
        if (row[key] === undefined) continue; // as JSON.stringify does
        addMember(memberAt(place, key), row[key]);
        place += 1;
      }
      addText(place === 0 ? '{}' : '}');
      room.reserve(0)[start] = BRACE; // in the place of the first comma
    },
    addText,
    take() {
      const bytes = room.bytes();
      room.clear();
      return bytes;
    },
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** The bytes of the member with this value, the same from now on; undefined for what is not worth it. */
function remember(member: Member, value: unknown): Buffer | undefined {
  const { known, opening } = member;
  const isShort = typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value !== 'object' || value === null;
  if (!known || !isShort) return undefined;
  const bytes = Buffer.concat([opening, Buffer.from(formatCompact(value))]);
  known.set(value, bytes);
  if (known.size >= MOST_VALUES) member.known = undefined;
  return bytes;
}

/** Sample codes like those of a real workspace: ordinary names, and names that break tables, spreadsheets and terminals. */
import { CODE_TYPES, type QrCode } from '../service/shapes.ts';
import { formatInstant } from '../time/time.ts';
import { hash, pick, slug, uuid } from './chance.ts';

const SUBJECTS = [
  'Spring menu',
  'Table tents',
  'Poster campaign',
  'Guest wifi',
  'Product label',
  'Trade fair badge',
  'Window sticker',
  'Museum audio guide',
  'Loyalty card',
  'Delivery note',
] as const;

const PLACES = ['Berlin', 'Lyon', 'Porto', 'Kraków', 'Malmö', 'Chicago', 'Nairobi', 'Osaka', 'São Paulo', 'Galway'] as const;

/** Every fifth name is one of these. */
const AWKWARD_NAMES = [
  'Café "Zur Post", Tischkarte',
  '東京ポップアップストア 春',
  'قائمة الطعام – دبي',
  '=SUM(A1:A9) as printed on the sheet',
  '🎪 Sommerfest 🎶 2026',
  '+49 30 1234567 hotline',
  "O'Brien & Sons; <b>flagship</b>",
  'Line one\nline two',
  'A name that a colleague typed with great care, so that the whole team knows at once which of the many posters is meant',
  '\u001b[31mred alert\u001b[0m',
] as const;

const STATUSES = ['active', 'active', 'active', 'active', 'active', 'active', 'paused', 'paused', 'expired'] as const;

/** Slugs of the first codes, as in the examples of README and help, so that those lines work when pasted. */
const FIXED_SLUGS = ['spring-menu', 'summer-menu', 'old-poster'] as const;

/** Streams of chance, one a field. */
const ID = 1;
const SLUG = 11;
const REST = 12;

/** Returns the sample code number `index` of the seed. */
export function madeUpCode(seed: number, index: number, createdMs: number): QrCode {
  const chance = hash(seed, REST, index);
  const type = index % 2 === 0 ? 'url' : pick(CODE_TYPES, (index - 1) / 2);
  const status = index < 2 ? 'active' : pick(STATUSES, chance >>> 4);
  const updatedMs = createdMs + (chance % 3 === 0 ? (chance >>> 8) % 86_400_000 : 0);
  const made = codeIdentity(seed, index);
  const identity = { ...made, slug: FIXED_SLUGS[index] ?? made.slug };
  return {
    ...identity,
    name: nameOf(index, chance),
    type,
    destination: destinationOf(type, identity.slug),
    status,
    created_at: formatInstant(createdMs),
    updated_at: formatInstant(updatedMs),
  };
}

/** Returns ID and slug, also used for created codes. */
export function codeIdentity(seed: number, index: number): Pick<QrCode, 'id' | 'slug'> {
  return { id: uuid(seed, ID, index), slug: slug(seed, SLUG, index) };
}

function nameOf(index: number, chance: number): string {
  if (index % 5 === 4) return pick(AWKWARD_NAMES, (index - 4) / 5);
  return `${pick(SUBJECTS, index)} ${pick(PLACES, chance)} ${2024 + (chance % 3)}-${1 + (index % 12)}`;
}

function destinationOf(type: string, path: string): string | null {
  if (type === 'email') return 'mailto:hello@example.com?subject=QR%20code';
  if (type === 'sms' || type === 'whatsapp') return 'https://wa.example/49301234567?text=Hello%2C%20world';
  if (type === 'wifi' || type.startsWith('vcard')) return null;
  return `https://www.example.com/${type}/${path}?utm_source=qr&utm_medium=print`;
}

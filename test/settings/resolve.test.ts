import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import {
  checkSetting,
  newProfileName,
  resolveInputs,
  resolveSettings,
  SETTING_NAMES,
  shownSetting,
} from '#settings/resolve';
import {
  describeSource,
  missingBaseUrlHint,
  outsideKey,
  refusedKeyHint,
  requireBaseUrl,
  requireKey,
} from '#settings/resolve-key';
import type { KeySource, SettingFlags } from '#settings/settings';
import type { StoredProfile } from '#settings/store';
import { temporaryDirectory } from './temporary.ts';

interface Given {
  flags?: SettingFlags;
  env?: NodeJS.Dict<string>;
  current?: string;
  profiles?: Record<string, StoredProfile>;
}

function resolved({ flags = {}, env = {}, current, profiles = {} }: Given) {
  return resolveSettings(flags, env, { current, profiles: new Map(Object.entries(profiles)) });
}

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';
const KEY = 'svc_live_canary0000';

describe('without settings', () => {
  test('there are defaults, but no base URL and no key', () => {
    expect(resolved({})).toEqual({
      profile: 'default',
      baseUrl: undefined,
      apiKey: undefined,
      apiKeyProblem: undefined,
      format: undefined,
      timezone: undefined,
      shortUrl: undefined,
      accessible: false,
      reserve: { requests: 0 },
      concurrency: 4,
      maxWaitMs: undefined,
      timeoutMs: 30_000,
      retryForMs: 30_000,
      notes: [],
    });
  });
});

describe('the current profile', () => {
  const profiles = {
    default: { format: 'csv' },
    work: { format: 'json' },
    home: { format: 'table' },
    play: { format: 'ndjson' },
  };

  test.each<[string, Given, string, string]>([
    [
      '--profile',
      { flags: { profile: 'work' }, env: { QRCTL_PROFILE: 'home' }, current: 'play' },
      'work',
      'json',
    ],
    ['QRCTL_PROFILE', { env: { QRCTL_PROFILE: 'home' }, current: 'play' }, 'home', 'table'],
    ['the config', { env: { QRCTL_PROFILE: '' }, current: 'play' }, 'play', 'ndjson'],
    ['the built-in default', {}, 'default', 'csv'],
  ])(
    'is taken from %s if no source of higher precedence specifies a profile',
    (_, given, profile, format) => {
      expect(resolved({ ...given, profiles })).toMatchObject({ profile, format });
    },
  );

  test.each<[string, Given]>([
    ['--profile', { flags: { profile: 'wrok' } }],
    ['QRCTL_PROFILE', { env: { QRCTL_PROFILE: 'wrok' } }],
  ])(
    'is refused if %s specifies a profile that is not stored, and a similar name is suggested',
    (_, given) => {
      const refused = () => resolved({ ...given, profiles });
      expect(refused).toThrow(UsageError);
      expect(refused).toThrow(
        expect.objectContaining({ hint: expect.stringContaining("Did you mean 'work'?") }),
      );
    },
  );

  test.each([
    ['sandbox', 'Run `qrctl auth login --profile sandbox` to create it.'],
    ['a b/..', 'Run `qrctl auth list` to see all profiles.'],
  ])('called %j is refused with the hint %j if it is not stored', (profile, hint) => {
    expect(() => resolved({ flags: { profile }, profiles })).toThrow(expect.objectContaining({ hint }));
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'called %s is refused if it is not stored',
    (profile) => {
      expect(() => resolved({ flags: { profile }, profiles })).toThrow(UsageError);
    },
  );

  test('is redacted in the error if its name is an API key', () => {
    expect(() => resolved({ flags: { profile: KEY }, profiles })).not.toThrow(expect.stringContaining(KEY));
    expect(() => resolved({ flags: { profile: KEY }, profiles })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('svc_live_cana…'),
        hint: 'The name looks like an API key. Run `qrctl auth login` and enter the key when prompted.',
      }),
    );
  });
});

describe('a setting', () => {
  const profiles = {
    default: {
      baseUrl: A,
      reserve: '5',
      concurrency: '8',
      maxWait: '1m',
      timezone: 'UTC',
      shortUrl: 'https://go.example',
    },
  };

  test('from a flag overrides one from a variable, which overrides one from the profile (base URL)', () => {
    const env = { QRCTL_BASE_URL: B };
    const flags = { baseUrl: 'https://c.example/api/v1' };
    expect(resolved({ profiles, env, flags }).baseUrl).toBe('https://c.example/api/v1');
    expect(resolved({ profiles, env }).baseUrl).toBe(B);
    expect(resolved({ profiles }).baseUrl).toBe(A);
    expect(resolved({ profiles, env: { QRCTL_BASE_URL: '' } }).baseUrl).toBe(A);
  });

  test('from a flag overrides one from the profile (reserve, concurrency and maximum wait)', () => {
    const flags = { reserve: '10%', concurrency: '2', maxWait: '0', timeout: 5 };
    expect(resolved({ profiles, flags })).toMatchObject({
      reserve: { percent: 10 },
      concurrency: 2,
      maxWaitMs: 0,
      timeoutMs: 5,
    });
    expect(resolved({ profiles })).toMatchObject({
      reserve: { requests: 5 },
      concurrency: 8,
      maxWaitMs: 60_000,
      timezone: 'UTC',
      shortUrl: 'https://go.example/{slug}',
    });
  });

  test.each<[StoredProfile, string]>([
    [{ format: 'xml' }, 'format'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ reserve: 'all' }, 'reserve'],
    [{ concurrency: '0' }, 'concurrency'],
    [{ maxWait: 'soon' }, 'max-wait'],
    [{ shortUrl: 'nowhere' }, 'short-url'],
    [{ baseUrl: 'http://far.example/api/v1' }, 'base-url'],
  ])(
    'with the invalid stored value %j is refused, with its profile and the command that removes the value',
    (profile, key) => {
      const refused = () => resolved({ profiles: { default: profile } });
      expect(refused).toThrow(UsageError);
      expect(refused).toThrow(`invalid value for ${key} in profile 'default'`);
      expect(refused).toThrow(
        expect.objectContaining({ hint: expect.stringContaining(`qrctl config unset ${key}`) }),
      );
    },
  );

  test.each<[string, Given]>([
    ['--base-url', { flags: { baseUrl: 'ftp://x.example' } }],
    ['QRCTL_BASE_URL', { env: { QRCTL_BASE_URL: 'http://far.example' } }],
  ])('with an invalid value in %s is refused with an error that contains this name', (name, given) => {
    expect(() => resolved(given)).toThrow(new RegExp(`^invalid value for ${name}: `));
  });

  test('that is a base URL without a path gets the path /api/v1, and a note reports this', () => {
    const { baseUrl, notes } = resolved({ env: { QRCTL_BASE_URL: 'https://a.example' } });
    expect(baseUrl).toBe(A);
    expect(notes).toEqual([expect.stringContaining(A)]);
  });
});

describe('the key', () => {
  const profiles = { default: { baseUrl: A, apiKey: KEY, keyBaseUrl: A } };

  test('in a profile is used for the base URL for which it was stored', () => {
    expect(resolved({ profiles })).toMatchObject({ apiKey: KEY, apiKeyProblem: undefined });
    expect(resolved({ profiles, flags: { baseUrl: 'https://A.example/api/v1/' } }).apiKey).toBe(KEY);
  });

  test.each<[string, Given]>([
    ['--base-url', { profiles, flags: { baseUrl: B } }],
    ['QRCTL_BASE_URL', { profiles, env: { QRCTL_BASE_URL: B } }],
    ['the profile itself', { profiles: { default: { ...profiles.default, baseUrl: B } } }],
    ['a key without a base URL', { profiles: { default: { baseUrl: B, apiKey: KEY } } }],
  ])('in a profile is not used for a different base URL: %s', (_, given) => {
    const { apiKey, apiKeyProblem } = resolved(given);
    expect(apiKey).toBeUndefined();
    expect(apiKeyProblem).toContain(B);
    expect(apiKeyProblem).not.toContain(KEY);
  });

  test('in QRCTL_API_KEY is used for any base URL, and an empty variable is ignored', () => {
    const env = { QRCTL_API_KEY: 'svc_live_other', QRCTL_BASE_URL: B };
    expect(resolved({ profiles, env })).toMatchObject({
      apiKey: 'svc_live_other',
      baseUrl: B,
      apiKeyProblem: undefined,
    });
    expect(resolved({ profiles, env: { QRCTL_API_KEY: '' } }).apiKey).toBe(KEY);
  });

  test('is taken from the variable, or else the key file, the systemd credential or the profile, in this order', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'qrctl-api-key'), '');
    const sourceOf = (env: Record<string, string>) => resolved({ profiles, env }).keySource;
    const credential = { CREDENTIALS_DIRECTORY: directory };
    const file = { ...credential, QRCTL_API_KEY_FILE: '/key' };
    expect(sourceOf({ ...file, QRCTL_API_KEY: 'svc_live_other' })).toBe('variable');
    expect([sourceOf(file), sourceOf(credential)]).toEqual(['file', 'credential']);
    expect(sourceOf({ CREDENTIALS_DIRECTORY: '/nowhere' })).toBe('profile');
  });

  test.each<[string, Given]>([
    ['QRCTL_API_KEY', { env: { QRCTL_API_KEY: `${KEY}\n` } }],
    ['the key of the profile', { profiles: { default: { baseUrl: A, apiKey: `${KEY}é`, keyBaseUrl: A } } }],
  ])(
    "is refused if a header can't contain it, and the error contains its source but not the key: %s",
    (origin, given) => {
      const refused = () => resolved(given);
      expect(refused).toThrow(UsageError);
      expect(refused).toThrow(origin);
      expect(refused).not.toThrow(KEY);
    },
  );
});

test.each([
  ['base-url', 'https://A.example', { text: A, note: `the base URL had no path: using ${A}` }],
  ['base-url', `${A}/`, { text: A, note: undefined }],
  ['key-command', 'op read x', { text: 'op read x' }],
  ['max-wait', '60s', { text: '60s' }],
  ['short-url', 'https://go.example/{id}', { text: 'https://go.example/{id}' }],
  [
    'short-url',
    'https://go.example/r',
    {
      text: 'https://go.example/r/{slug}',
      note: 'the address had no placeholder for the code; added /{slug}',
    },
  ],
] as const)('checkSetting maps %s = %j to %j', (key, text, stored) => {
  expect(checkSetting(key, text)).toEqual(stored);
});

test.each([
  ['base-url', 'ftp://a.example', 'the base URL is not an http or https URL'],
  ['key-command', '', 'cannot use the key-command: it is empty'],
  ['accessible', 'maybe', "invalid value for accessible: 'maybe' (expected yes or no)"],
  [
    'short-url',
    'https://HOST/{slug}',
    'cannot store "https://HOST/{slug}" as short-url: it has a host without a dot; replace it with the host',
  ],
] as const)('checkSetting refuses %s = %j', (key, text, message) => {
  expect(() => checkSetting(key, text)).toThrow(message);
});

test('each setting of a profile is read from its own field', () => {
  const profile = {
    baseUrl: A,
    format: 'csv',
    timezone: 'UTC',
    reserve: '5',
    concurrency: '2',
    maxWait: '3s',
    delimiter: ';',
    shortUrl: 'https://go.example/{slug}',
    accessible: 'yes',
    keyCommand: 'pass key',
  };
  const inputs = { flags: {}, env: {}, name: 'default', profile, commandProblem: undefined };
  const keys = Object.keys(SETTING_NAMES) as (keyof typeof SETTING_NAMES)[];
  const shown = keys.map((key) => shownSetting(key, inputs));
  expect(shown.map(({ value }) => value)).toEqual(Object.values(profile));
  expect(new Set(shown.map(({ source }) => source))).toEqual(new Set(['profile']));
});

test.each(['work', 'my work', '$(id)\n'])(
  'the error for an invalid value in the profile %j has a hint with the commands that change or remove the value',
  (name) => {
    const named = { work: 'work', 'my work': "'my work'" }[name] ?? 'NAME';
    const inputs = { flags: {}, env: {}, name, profile: { reserve: 'x' }, commandProblem: undefined };
    expect(() => resolveInputs(inputs)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`invalid value for reserve in profile '${name}': 'x' (expected `),
        hint: `Run \`qrctl config set reserve VALUE --profile ${named}\` or \`qrctl config unset reserve --profile ${named}\`.`,
      }),
    );
  },
);

test.each<[Parameters<typeof shownSetting>[0], Given & { profile?: StoredProfile }, string | null, string]>([
  ['base-url', { flags: { baseUrl: 'https://A.example' } }, A, 'flag'],
  ['base-url', { env: { QRCTL_BASE_URL: 'nowhere' } }, 'nowhere', 'variable'],
  ['short-url', { profile: { shortUrl: 'https://go.example' } }, 'https://go.example/{slug}', 'profile'],
  ['short-url', { profile: { shortUrl: 'nowhere' } }, 'nowhere', 'profile'],
  ['timezone', { profile: { timezone: 'UTC' } }, 'UTC', 'profile'],
  ['timezone', {}, null, 'default'],
  ['concurrency', {}, '4', 'default'],
])(
  'the setting %s with %j is shown as %j, with the source %s',
  (key, { flags = {}, env = {}, profile = {} }, value, source) => {
    expect(shownSetting(key, { flags, env, profile, name: 'default' })).toEqual({ key, value, source });
  },
);

test('a login accepts a profile name of up to 64 characters, unless the name is an API key or has spaces, quotes or backslashes', () => {
  const create = (profile: string) => newProfileName({ profile }, {}, { profiles: new Map() });
  for (const name of ['shop', 'Café-2', 'x'.repeat(64)]) expect(create(name)).toBe(name);
  for (const name of ['', 'a b', "it's", '-x', 'a\\b', 'x'.repeat(65)])
    expect(() => create(name)).toThrow(/^invalid profile name/);
  expect(() => create(KEY)).toThrow(
    expect.objectContaining({
      message: 'expected a profile name, not an API key',
      hint: 'Specify a profile name. `qrctl auth login` prompts for the key.',
    }),
  );
});

test('messages name the source of the key, and suggest a login only if the environment has no key', () => {
  const nameOf = (source?: Parameters<typeof describeSource>[0]) => describeSource(source, 'shop');
  expect([nameOf('variable'), nameOf('file')]).toEqual(['QRCTL_API_KEY', 'QRCTL_API_KEY_FILE']);
  expect(nameOf('credential')).toBe('the systemd credential qrctl-api-key');
  expect([nameOf('profile'), nameOf()]).toEqual(["the profile 'shop'", "the profile 'shop'"]);
  expect(nameOf('command')).toBe("the key-command of the profile 'shop'");
  const outside = { QRCTL_API_KEY_FILE: '/key' };
  expect([outsideKey({ ...outside, QRCTL_API_KEY: KEY }), outsideKey(outside), outsideKey({})]).toEqual([
    'QRCTL_API_KEY',
    'QRCTL_API_KEY_FILE',
    undefined,
  ]);
  expect(missingBaseUrlHint(outside, '.')).toMatch(/^Set QRCTL_BASE_URL, /);
  const settings = resolved({});
  expect(() => requireBaseUrl(settings, {})).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^Run `qrctl auth login .*`qrctl sandbox`\.$/) }),
  );
  expect(() => requireBaseUrl({ ...settings, baseUrl: A }, {})).not.toThrow();
});

test('a request requires a key that may be sent to its base URL', () => {
  const settings = { ...resolved({}), baseUrl: A };
  expect(requireKey({ ...settings, apiKey: KEY })).toMatchObject({ baseUrl: A, apiKey: KEY, concurrency: 4 });
  expect(() => requireKey(settings)).toThrow(`no API key for ${A}`);
  expect(() => requireKey({ ...settings, apiKeyProblem: 'it is for another' })).toThrow(
    expect.objectContaining({
      message: 'it is for another',
      hint: `Run \`qrctl auth login --profile NAME --base-url ${A}\`, or set QRCTL_API_KEY for this command.`,
    }),
  );
});

test.each<[KeySource | undefined, string]>([
  ['variable', 'QRCTL_API_KEY is set and was rejected. Correct or unset it.'],
  ['file', 'The key from QRCTL_API_KEY_FILE was rejected. Correct the file, or unset the variable.'],
  [
    'credential',
    'The key from the systemd credential qrctl-api-key was rejected. Correct LoadCredential= in the unit.',
  ],
  [
    'command',
    "The key-command printed a key that was rejected. Change it with `qrctl config set key-command 'COMMAND' --profile 'my work'`.",
  ],
  ['profile', "Run `qrctl auth login --profile 'my work'` to store a valid key."],
  [undefined, 'Copy the whole key again from the API Keys page of this workspace.'],
])('the hint for a rejected key from %s is: %s', (keySource, hint) => {
  expect(refusedKeyHint({ ...resolved({}), profile: 'my work', keySource })).toBe(hint);
});

test.each([
  ['1', 'yes', 'variable'],
  ['true', 'yes', 'variable'],
  ['0', 'no', 'variable'],
  ['false', 'no', 'variable'],
  ['', 'yes', 'profile'],
])('the variable ACCESSIBLE set to %j makes the setting `%s`, from the %s', (ACCESSIBLE, value, source) => {
  const profile = { accessible: 'yes' };
  const inputs = { flags: {}, env: { ACCESSIBLE }, name: 'default', profile, commandProblem: undefined };
  expect(shownSetting('accessible', inputs)).toEqual({ key: 'accessible', value, source });
  const profiles = { default: profile };
  expect(resolved({ env: { ACCESSIBLE }, profiles }).accessible).toBe(value === 'yes');
});

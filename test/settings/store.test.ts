import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { platform, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MOST_BYTES } from '#base/bounds';
import { UsageError } from '#base/errors';
import { configFile, readStore } from '#settings/store';
import { runCli } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { temporaryDirectory } from './temporary.ts';

const GOOD = '{"version":1,"current":"work","profiles":{"work":{"apiKey":"svc_live_canary00"}}}';

function configured(text: string, modes = { directory: 0o700, file: 0o600 }) {
  const directory = join(temporaryDirectory(), 'config');
  const file = join(directory, 'config.json');
  mkdirSync(directory);
  writeFileSync(file, text);
  chmodSync(file, modes.file);
  chmodSync(directory, modes.directory);
  return { directory, file, env: { QRCTL_CONFIG_DIR: directory } };
}

function modeOf(path: string) {
  return statSync(path).mode & 0o777;
}

describe('the path of the config file', () => {
  test('is in QRCTL_CONFIG_DIR if that variable is set, even if the value is relative', async () => {
    expect(await configFile({ QRCTL_CONFIG_DIR: '/some/where' })).toBe('/some/where/config.json');
    expect(await configFile({ QRCTL_CONFIG_DIR: 'here' })).toBe(join(process.cwd(), 'here', 'config.json'));
  });

  test('is in a directory called qrctl if QRCTL_CONFIG_DIR is empty', async () => {
    expect(await configFile({ QRCTL_CONFIG_DIR: '' })).toMatch(/qrctl.config\.json$/);
  });

  const home = userInfo().homedir;
  const homes: [string, string | undefined, string][] = [
    ['h', 'x', `${home}/.config/qrctl/config.json`],
    ['/h', '/x', '/x/qrctl/config.json'],
    ['/h', undefined, '/h/.config/qrctl/config.json'],
    ['/h', '', '/h/.config/qrctl/config.json'],
    ['/h', 'x', '/h/.config/qrctl/config.json'],
    ['h', '/x', '/x/qrctl/config.json'],
    ['', undefined, `${home}/.config/qrctl/config.json`],
  ];
  test.runIf(platform() === 'linux').each(firstRows(1, homes))(
    'with HOME=%j and XDG_CONFIG_HOME=%j is %s, and never relative',
    async (HOME, xdg, file) => {
      const env = { HOME, XDG_CONFIG_HOME: xdg, QRCTL_CONFIG_DIR: undefined };
      expect((await runCli(['config', 'path'], { env })).stdout).toBe(`${file}\n`);
    },
  );
});

describe('readStore', () => {
  test('returns no profiles if there is no file, and creates no directory', async () => {
    const directory = join(temporaryDirectory(), 'config');
    const store = await readStore({ QRCTL_CONFIG_DIR: directory });
    expect(store).toEqual({
      file: join(directory, 'config.json'),
      current: undefined,
      profiles: new Map(),
      corrections: [],
    });
    expect(existsSync(directory)).toBe(false);
  });

  test('returns the stored profiles and the current profile', async () => {
    const { env } = configured(GOOD);
    const store = await readStore(env);
    expect(store.current).toBe('work');
    expect(store.profiles.get('work')).toEqual({ apiKey: 'svc_live_canary00' });
    expect(store.corrections).toEqual([]);
  });

  test('restricts a directory from 0755 to 0700 and a file from 0644 to 0600, and reports both changes', async () => {
    const { env, directory, file } = configured(GOOD, { directory: 0o755, file: 0o644 });
    const { corrections } = await readStore(env);
    expect(corrections).toEqual([
      `${directory} was accessible to other users (permissions 0755); changed to 0700`,
      `${file} was accessible to other users (permissions 0644); changed to 0600`,
    ]);
    expect([modeOf(directory), modeOf(file)]).toEqual([0o700, 0o600]);
    expect((await readStore(env)).corrections).toEqual([]);
  });

  test('keeps permissions that let another user write a key-command to the file, and reports this until they are restricted', async () => {
    const text = '{"version":1,"profiles":{"work":{"keyCommand":"pass show qr"}}}';
    const { env, directory, file } = configured(text, { directory: 0o770, file: 0o664 });
    for (const _ of [1, 2]) {
      const { corrections, commandProblem } = await readStore(env);
      expect(corrections).toEqual([
        `${file} was accessible to other users and was left unchanged until you check its key-commands`,
      ]);
      expect(commandProblem?.hint).toContain(`chmod go-w ${directory} ${file}`);
    }
    expect([modeOf(directory), modeOf(file)]).toEqual([0o770, 0o664]);
    chmodSync(directory, 0o750);
    chmodSync(file, 0o644);
    const { corrections, commandProblem } = await readStore(env);
    expect([corrections.length, commandProblem, modeOf(directory), modeOf(file)]).toEqual([
      2,
      undefined,
      0o700,
      0o600,
    ]);
  });

  test.runIf(process.getuid?.() === 0)(
    'reports a problem with key-commands if another user owns or can change a directory above the config file',
    async () => {
      const text = '{"version":1,"profiles":{"work":{"keyCommand":"pass show qr"}}}';
      const { env, directory } = configured(text);
      const above = join(directory, 'above');
      const deep = join(above, 'own', 'deep');
      mkdirSync(deep, { recursive: true });
      writeFileSync(join(deep, 'config.json'), text, { mode: 0o600 });
      const problem = async () => (await readStore({ ...env, QRCTL_CONFIG_DIR: deep })).commandProblem;
      for (const [name, path] of [
        ['the first', deep],
        ['one above', above],
      ] as const) {
        expect(await problem()).toBeUndefined();
        chownSync(path, 65534, 65534);
        expect(await problem(), name).toMatchObject({
          reason: expect.stringContaining(
            `the directory ${path} above the config file belongs to user 65534`,
          ),
          isOpen: false,
        });
        chownSync(path, 0, 0);
      }
      for (const mode of [0o777, 0o775]) {
        chmodSync(above, mode);
        const hint = expect.stringContaining(`chmod go-w ${above}`);
        expect(await problem()).toMatchObject({ hint, isOpen: true });
      }
      chmodSync(above, 0o1777);
      expect(await problem()).toBeUndefined();
      // By a link of root's in a directory of another user, who can move other files of root's to its name.
      chownSync(above, 65534, 65534);
      mkdirSync(join(directory, 'elsewhere'));
      writeFileSync(join(directory, 'elsewhere', 'config.json'), text, { mode: 0o600 });
      symlinkSync(join(directory, 'elsewhere'), join(above, 'out'));
      const linked = await readStore({ ...env, QRCTL_CONFIG_DIR: join(above, 'out') });
      expect(linked.commandProblem?.reason).toContain(`the directory ${above}`);
    },
  );

  test('keeps the permissions of a file that are stricter than 0600', async () => {
    const { env, file } = configured(GOOD, { directory: 0o700, file: 0o400 });
    await readStore(env);
    expect(modeOf(file)).toBe(0o400);
  });

  test('keeps the permissions of a directory with the sticky bit, and reports this', async () => {
    const { env, directory } = configured(GOOD);
    chmodSync(directory, 0o1777);
    const { corrections } = await readStore(env);
    expect(corrections).toEqual([expect.stringContaining('was left unchanged')]);
    expect(statSync(directory).mode & 0o7777).toBe(0o1777);
  });

  test('keeps the permissions of a directory that also contains other files, and reports this', async () => {
    const { env, directory, file } = configured(GOOD, { directory: 0o755, file: 0o644 });
    writeFileSync(join(directory, 'letter.txt'), '');
    const { corrections } = await readStore(env);
    expect(corrections).toEqual([
      `${directory} was accessible to other users (permissions 0755) and was left unchanged because other programs also use it; set QRCTL_CONFIG_DIR to a separate directory`,
      `${file} was accessible to other users (permissions 0644); changed to 0600`,
    ]);
    expect([modeOf(directory), modeOf(file)]).toEqual([0o755, 0o600]);
  });

  test("restricts the permissions of a directory that contains only qrctl's own files", async () => {
    const { env, directory } = configured(GOOD, { directory: 0o755, file: 0o600 });
    mkdirSync(join(directory, 'cache'));
    writeFileSync(join(directory, '.config.json.partial'), '');
    await readStore(env);
    expect(modeOf(directory)).toBe(0o700);
  });

  test.runIf(process.getuid?.() === 0)(
    'keeps the permissions of a directory and a file that belong to another user, and reports this',
    async () => {
      const { env, directory, file } = configured(GOOD, { directory: 0o755, file: 0o644 });
      chownSync(file, 65534, 65534);
      chownSync(directory, 65534, 65534);
      const { corrections } = await readStore(env);
      expect(corrections).toEqual([
        expect.stringContaining('was left unchanged'),
        expect.stringContaining('was left unchanged'),
      ]);
      expect([modeOf(directory), modeOf(file)]).toEqual([0o755, 0o644]);
    },
  );

  describe.runIf(process.getuid?.() === 0)(
    'as root, with a config file that belongs to another user,',
    () => {
      test.each([
        ['uses that file in a directory of that user', 65534, 0o700, undefined],
        ['uses that file in a directory that only root can write to', 0, 0o755, undefined],
        ['refuses that file in a directory that all users can write to', 0, 0o1777, 65534],
        ['refuses that file in a directory that a group can write to', 0, 0o775, 65534],
        ['refuses that file in a directory of a third user', 65533, 0o755, 65534],
      ])('%s', async (_, owner, mode, refused) => {
        const { env, directory, file } = configured(GOOD, { directory: mode, file: 0o600 });
        chmodSync(directory, mode);
        chownSync(file, 65534, 65534);
        chownSync(directory, owner, owner);
        const reading = readStore(env);
        if (refused === undefined) return expect((await reading).current).toBe('work');
        await expect(reading).rejects.toThrow(UsageError);
        await expect(reading).rejects.toThrow(
          `cannot use the config file ${file}: it belongs to user ${refused}`,
        );
      });

      test('refuses that file if that user created its directory in a directory that all users can write to', async () => {
        const { env, directory, file } = configured(GOOD);
        for (const path of [file, directory]) chownSync(path, 65534, 65534);
        chmodSync(dirname(directory), 0o1777);
        await expect(readStore(env)).rejects.toThrow('belongs to user 65534');
      });
    },
  );

  describe.runIf(process.getuid?.() === 0)(
    'as root, in directories that another user created below a shared directory,',
    () => {
      /** Theirs, two levels below a sticky directory. */
      function planted() {
        const shared = temporaryDirectory();
        chmodSync(shared, 0o1777);
        const directory = join(shared, 'home', '.config');
        mkdirSync(directory, { recursive: true, mode: 0o755 });
        for (const path of [dirname(directory), directory]) chownSync(path, 65534, 65534);
        return { directory, file: join(directory, 'config.json'), env: { QRCTL_CONFIG_DIR: directory } };
      }
      const ours = () => configured(GOOD, { directory: 0o700, file: 0o600 });

      test('refuses a config file two levels below the shared directory unless only root can write to that directory', async () => {
        const { env, file, directory } = planted();
        writeFileSync(file, GOOD, { mode: 0o600 });
        chownSync(file, 65534, 65534);
        await expect(readStore(env)).rejects.toThrow('belongs to user 65534');
        chmodSync(dirname(dirname(directory)), 0o755);
        expect((await readStore(env)).current).toBe('work');
      });

      test("refuses that user's link to a root-owned config file, or to the directory that contains it", async () => {
        const { file: target, directory: targets } = ours();
        const { env, file, directory } = planted();
        symlinkSync(target, file);
        lchownSync(file, 65534, 65534);
        await expect(readStore(env)).rejects.toThrow('belongs to user 65534');
        const link = join(dirname(directory), 'link');
        symlinkSync(targets, link);
        lchownSync(link, 65534, 65534);
        await expect(readStore({ QRCTL_CONFIG_DIR: link })).rejects.toThrow('belongs to user 65534');
      });

      test('refuses a hard link to a root-owned config file', async () => {
        const { file: target } = ours();
        const { env, file } = planted();
        linkSync(target, file);
        await expect(readStore(env)).rejects.toThrow('belongs to user 65534');
      });

      test('follows a symbolic link that root created', async () => {
        const { file: target } = ours();
        const { env, file } = planted();
        symlinkSync(target, file);
        expect((await readStore(env)).current).toBe('work');
      });
    },
  );

  test.each([
    '',
    'not json',
    '{"version":1,"profiles":{"p":{"apiKey":"svc_live_canary',
    '{"version":99,"profiles":{}}',
  ])(
    'refuses the content %j with an error that contains the path but no key, and keeps the file',
    async (text) => {
      const { env, file } = configured(text);
      const refused = await readStore(env).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect(refused).toMatchObject({
        message: expect.stringMatching(/^cannot use the config file /),
        hint: 'Repair the file, or move it to another directory and run `qrctl auth login`. The file is unchanged.',
      });
      expect(String(refused)).toContain(file);
      expect(String(refused)).not.toContain('canary');
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('refuses a file of more than 4 MiB', async () => {
    await expect(readStore(configured(GOOD.padEnd(MOST_BYTES.config)).env)).resolves.toMatchObject({
      current: 'work',
    });
    const { env } = configured(GOOD.padEnd(MOST_BYTES.config + 1));
    await expect(readStore(env)).rejects.toThrow(`it is ${MOST_BYTES.config + 1} bytes long`);
  });

  test('refuses a config.json that is a directory', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'config.json'));
    await expect(readStore({ QRCTL_CONFIG_DIR: directory })).rejects.toThrow('it is not a regular file');
  });

  test('refuses a config directory that is a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(readStore({ QRCTL_CONFIG_DIR: file })).rejects.toThrow(UsageError);
  });
});

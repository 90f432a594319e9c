import { expect, test } from 'vitest';
import { commandHint } from '#cli/did-you-mean';

test('the hint for each known word of another tool names the command that does the same', () => {
  const hints = Object.fromEntries(
    Object.entries({
      'qr create': 'add import bulk spreadsheet spreadsheets',
      'qr update': 'edit',
      'qr image': 'print label labels draw png svg',
      'qr apply': 'sync diff',
      'scans export': 'download',
      'scans stats': 'count analytics statistics',
      'scans tail': 'follow stream logs',
      'scans watch': 'monitor alert',
      'auth status': 'whoami',
      'auth login': 'signin configure',
      qr: 'code codes',
      scans: 'scan',
      auth: 'profile',
      config: 'settings',
    }).flatMap(([command, words]) =>
      words.split(' ').map((word) => [word, `Did you mean \`qrctl ${command}\`?`]),
    ),
  );
  const found = Object.fromEntries(Object.keys(hints).map((word) => [word, commandHint(word, [], [word])]));
  expect(found).toEqual(hints);
});

test('the hint for each word of an update names `qr update` with the flag', () => {
  const hints = ['pause', 'disable', 'resume', 'enable', 'rename', 'redirect'].map((word) =>
    commandHint(word, ['qr'], ['qr', word, 'a']),
  );
  expect(hints).toEqual([
    'Did you mean `qrctl qr update a --status paused`?',
    'Did you mean `qrctl qr update a --status paused`?',
    'Did you mean `qrctl qr update a --status active`?',
    'Did you mean `qrctl qr update a --status active`?',
    'Did you mean `qrctl qr update a --name NAME`?',
    'Did you mean `qrctl qr update a --destination DESTINATION`?',
  ]);
});

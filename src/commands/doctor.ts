import type { Context } from '../context.ts';
import type { Settings } from '../settings/settings.ts';
import { defineCommand } from './define.ts';
import type { Finding } from './doctor/finding.ts';
import { openOutput, outputOptions } from './output-options.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

const COLUMNS = [
  { name: 'check', keepWhole: true },
  {
    name: 'status',
    keepWhole: true,
    colour: (value: unknown) => Object.entries(COLOURS).find(([status]) => status === value)?.[1],
  },
  { name: 'message' },
  { name: 'fix' },
];

export const command = defineCommand({
  description:
    'Checks the config file and its modes, the base URL, the key, the way to the service (name, TLS, proxy, answer), the clock, and whether ' +
    '/openapi.json still says what this tool expects; names a fix for each thing that is wrong. It needs neither a key nor a base URL, and ' +
    'sends at most two requests. Exits with 0 when nothing failed, else with the code of the first failure, from which the later ones usually follow.',
  options: outputOptions,
  examples: [
    { command: 'qrctl doctor', does: 'find out why something does not work' },
    { command: 'qrctl doctor --format json', does: 'the findings for a script or a support request; the key is not among them' },
  ],
  async run(context, { options }) {
    const { checkLocally } = await import('./doctor/local-checks.ts');
    const { settings, findings: local } = await checkLocally(context);
    // What the settings allow is used; context.settings() would fail on the very thing to be told.
    const output = await openOutput({ ...context, settings: async () => settings }, options, COLUMNS, 'list');
    try {
      const findings = await withService(context, settings, local);
      await output.write(findings.map(({ failure: _, ...finding }) => finding));
      await output.finish();
      const worst = findings.find(({ status }) => status === 'fail');
      if (worst) throw worst.failure;
    } finally {
      await output.abort();
    }
  },
});

/** Adds what the service says; its word on the key counts more than ours. */
async function withService(context: Context, settings: Settings, local: readonly Finding[]): Promise<Finding[]> {
  const { baseUrl, apiKey = '' } = settings;
  if (baseUrl === undefined || local.some(({ check, status }) => check === 'proxy' && status === 'fail')) return [...local];
  const { checkService } = await import('./doctor/service-checks.ts');
  const found = await checkService(context, { ...settings, baseUrl, apiKey });
  const refused = found.find(({ check }) => check === 'key');
  return [
    ...local.map((finding) => (finding.check === 'key' && refused ? refused : finding)),
    ...found.filter((finding) => finding !== refused),
  ];
}

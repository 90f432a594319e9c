import { defineCommand } from '#commands/define';
import { openOutput, outputOptionsWithoutIds } from '#commands/output-options';
import type { Context } from '#context';
import type { Settings } from '#settings/settings';
import { type Finding, failureOf, formatFindings } from './finding.ts';
import { checkLocally } from './local-checks.ts';
import { checkService } from './service-checks.ts';

const COLUMNS = ['check', 'status', 'message', 'fix'].map((name) => ({ name }));

export const command = defineCommand({
  description:
    'Checks config, key, network and clock, and suggests fixes.\n\n' +
    'It checks the config file, the base URL, the key, the connection (DNS, TLS, proxy), the clock, and whether ' +
    '/openapi.json still matches qrctl. It requires neither a key nor a base URL, and sends at most two requests.\n\n' +
    'It exits with the code of the first failure, which often causes the later ones.',
  options: outputOptionsWithoutIds,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl doctor', 'Find out why a command fails'],
    ['qrctl doctor --format json', 'Print the findings, without the key, for a support request'],
  ],
  async run(context, { options }) {
    const { settings, findings: local } = await checkLocally(context);
    // Replaces `context.settings()`, which throws for invalid settings, because a check reports them.
    const valid = { ...context, settings: async () => settings };
    const { plan, print } = await openOutput(valid, options, COLUMNS);
    const found = await withService(context, settings, local);
    const fixOf = ({ fix }: Finding) => fix && context.propose(fix);
    const findings = found.map((finding) => ({ ...finding, fix: fixOf(finding) }));
    const isReport = plan.format === 'table' && !plan.chosen && plan.path === undefined;
    const { console } = context;
    if (isReport) await console.write(await formatFindings(findings, console));
    else await print(findings.map(({ failure: _, ...finding }) => finding));
    const reported = failureOf(found);
    if (reported) throw isReport && console.isTerminal ? reported : reported.cause;
  },
});

async function withService(
  context: Context,
  settings: Settings,
  local: readonly Finding[],
): Promise<Finding[]> {
  const { baseUrl, apiKey = '' } = settings;
  if (baseUrl === undefined || local.some(({ check, status }) => check === 'proxy' && status === 'fail'))
    return [...local];
  const found = await checkService(context, { ...settings, baseUrl, apiKey });
  const refused = found.find(({ check }) => check === 'key');
  return [
    ...local.map((finding) => (finding.check === 'key' && refused ? refused : finding)),
    ...found.filter((finding) => finding !== refused),
  ];
}

import { setMaxListeners } from 'node:events';
import { RequestFailure, UsageError } from '#base/errors';
import { instantOrNull } from '#base/time/time';
import type { BeforeSend } from './attempt-result.ts';
import { isLoopback } from './base-url.ts';
import { checkCode, checkCodePage, checkSameCode, checkScanPage } from './checks.ts';
import { createClient } from './client.ts';
import { withoutKey } from './excerpt.ts';
import { proxyFor } from './proxy.ts';
import type { PageRequest, RawRequest, ScanPageRequest, ServiceOptions } from './service-options.ts';
import type { CodeChanges, NewCode, QrCode } from './shapes.ts';
import { createSlugMemory } from './slug-memory.ts';
import { createTransport, type HttpResponse } from './transport.ts';
import { createWorkspace } from './workspace.ts';

/**
 * Creates a service. Throws UsageError for an invalid proxy, or if TLS checks are disabled for a remote host.
 * The methods may reject with the signal's reason, or with a RequestFailure.
 */
export function createService(options: ServiceOptions) {
  const base = new URL(options.baseUrl);
  refuseUncheckedTls(base, options.env);
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Turns off Node's warning above ten listeners, because each request and back-off adds one.
  setMaxListeners(0, signal);
  const transport = createTransport({
    origin: base,
    proxy: proxyFor(base, options.env),
    timeoutMs: options.timeoutMs,
    signal,
  });
  const { call, ...state } = createClient({ ...options, signal }, transport);
  const codes = `${base.pathname}/qr`;
  const code = (id: string) => `${codes}/${encodeURIComponent(id)}`;
  const slugs = createSlugMemory(options.slugStore);
  const noted = (received: QrCode) => {
    slugs.note([received]);
    return received;
  };

  return {
    baseUrl: options.baseUrl,
    concurrency: options.concurrency,
    workspace: createWorkspace(options),
    slugs,
    async listCodes(request: PageRequest) {
      const page = await call({ method: 'GET', path: codes + query({ ...request }), check: checkCodePage });
      slugs.note(page.rows);
      return page;
    },
    getCode: (id: string) => call({ method: 'GET', path: code(id), check: checkSameCode(id) }).then(noted),
    /** Creates a code. Repeats only requests that were certainly not applied. */
    createCode: (body: NewCode, beforeSend?: () => Promise<void>) =>
      call({ method: 'POST', path: codes, body, beforeSend, check: checkCode }).then(noted),
    updateCode: (id: string, body: CodeChanges) =>
      call({ method: 'PATCH', path: code(id), body, check: checkSameCode(id, body) }).then(noted),
    /** Deletes a code. Succeeds after a 204, or a 404 if an earlier attempt may have been applied. */
    async deleteCode(id: string, beforeSend?: BeforeSend) {
      await call<void>({ method: 'DELETE', path: code(id), beforeSend });
      slugs.forgetCode(id);
    },
    listScans(id: string, { page, limit, sinceMs, untilMs }: ScanPageRequest) {
      const [since, until] = [instantOrNull(sinceMs), instantOrNull(untilMs)];
      const path = `${code(id)}/scans${query({ page, limit, since, until })}`;
      return call({ method: 'GET', path, check: checkScanPage });
    },
    /** Sends `json`, unchanged, to `path` below the base URL. Resolves for any status except 429. */
    async send({ method, path, json }: RawRequest) {
      let last: HttpResponse | undefined;
      let failure: RequestFailure | undefined;
      const onResponse = (response: HttpResponse) => {
        last = response;
      };
      const request = { method, path: base.pathname + path, json, anyBody: true, onResponse };
      await call<void>({ ...request, check: () => undefined }).catch((error) => {
        if (!last || !(error instanceof RequestFailure) || error.status === undefined) throw error;
        failure = error;
      });
      return { status: last?.status ?? 0, text: withoutKey(last?.text ?? '', options.apiKey), failure };
    },
    // Sends no key, because the path is outside the base URL and, by the specification, public.
    openApi: () => call({ method: 'GET', path: '/openapi.json', isPublic: true, check: (json) => json }),
    ...state,
    async close() {
      closing.abort(new Error('the service was closed'));
      transport.close();
      await slugs.save();
    },
  };
}

function query(parameters: Record<string, string | number | null>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) search.set(name, String(value));
  return `?${search}`;
}

function refuseUncheckedTls(base: URL, env: ServiceOptions['env']): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || isLoopback(base.hostname)) return;
  throw new UsageError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks, so the key could be sent to any server',
    {
      hint: 'Unset the variable. To use a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
    },
  );
}

import { setMaxListeners } from 'node:events';
import { RequestFailure, UsageError } from '#base/errors';
import { formatInstant } from '#base/time/time';
import type { Call } from './attempt-result.ts';
import { isLoopback } from './base-url.ts';
import { checkCode, checkCodePage, checkSameCode, checkScanPage } from './checks.ts';
import { createClient } from './client.ts';
import { withoutKey } from './excerpt.ts';
import { proxyFor } from './proxy.ts';
import type { RawResponse, Service, ServiceOptions } from './service.ts';
import type { QrCode } from './shapes.ts';
import { createSlugMemory } from './slug-memory.ts';
import { createTransport, type HttpResponse } from './transport.ts';
import { createWorkspace } from './workspace.ts';

/** Creates the client. Throws UsageError for invalid proxy settings, or if TLS checks are turned off. */
export function createService(options: ServiceOptions): Service {
  const base = new URL(options.baseUrl);
  refuseUncheckedTls(base, options.env);
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  // Each request and back-off adds a listener, and Node warns of more than ten.
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
  const authorized = true;
  const slugs = createSlugMemory(options.slugStore);
  const noted = (received: QrCode) => {
    slugs.note([received]);
    return received;
  };

  async function sendRaw(request: Call<void>): Promise<RawResponse> {
    let last: HttpResponse | undefined;
    let failure: RequestFailure | undefined;
    const onResponse = (response: HttpResponse) => {
      last = response;
    };
    await call<void>({ ...request, anyBody: true, check: () => undefined, onResponse }).catch((error) => {
      if (!last || !(error instanceof RequestFailure) || error.status === undefined) throw error;
      failure = error;
    });
    return { status: last?.status ?? 0, text: withoutKey(last?.text ?? '', options.apiKey), failure };
  }

  return {
    baseUrl: options.baseUrl,
    concurrency: options.concurrency,
    workspace: createWorkspace(options),
    slugs,
    async listCodes(request) {
      const page = await call({
        method: 'GET',
        path: codes + query({ ...request }),
        authorized,
        check: checkCodePage,
      });
      slugs.note(page.rows);
      return page;
    },
    getCode: (id) =>
      call({ method: 'GET', path: code(id), authorized, check: checkSameCode(id) }).then(noted),
    createCode: (body, beforeSend) =>
      call({ method: 'POST', path: codes, body, authorized, beforeSend, check: checkCode }).then(noted),
    updateCode: (id, body) =>
      call({ method: 'PATCH', path: code(id), body, authorized, check: checkSameCode(id, body) }).then(noted),
    async deleteCode(id, beforeSend) {
      await call<void>({ method: 'DELETE', path: code(id), authorized, beforeSend });
      slugs.forgetCode(id);
    },
    listScans: (id, { page, limit, sinceMs, untilMs }) => {
      const since = sinceMs === undefined ? undefined : formatInstant(sinceMs);
      const until = untilMs === undefined ? undefined : formatInstant(untilMs);
      const path = `${code(id)}/scans${query({ page, limit, since, until })}`;
      return call({ method: 'GET', path, authorized, check: checkScanPage });
    },
    send: ({ method, path, json }) => sendRaw({ method, path: base.pathname + path, json, authorized }),
    // No key: the path is outside of its base URL, and public by the specification.
    openApi: () => call({ method: 'GET', path: '/openapi.json', authorized: false, check: (json) => json }),
    ...state,
    async close() {
      closing.abort(new Error('the service was closed'));
      transport.close();
      await slugs.save();
    },
  };
}

function query(parameters: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
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

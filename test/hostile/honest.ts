/** A service as the specification has it, with one code and some scans: what hostile servers are made of. */

import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { type RawRequest, rawAnswer } from '../support/fault-server.ts';
import { makeCode } from '../support/make.ts';
import { ID, SCANS } from './samples.ts';

export interface HostileServer {
  react(request: RawRequest): void;
  greet?: (socket: Socket) => void;
  /** Odd as it is, each response is right: commands may end with 0. */
  isRight?: true;
  /** The base URL begins with https. */
  isTls?: true;
}

export interface Reply {
  status: number;
  body: unknown;
}

export const CODE = makeCode({ id: ID });

/** Another for each code that is created. */
const idFor = (body: string) => `00000000-0000-4000-8000-${crc32(body).toString(16).padStart(12, '0')}`;

/** What the service of the specification, with one code and some scans, answers; a page of HTML everywhere else. */
export function honest(
  { method, url, body }: RawRequest,
  code: object = CODE,
  scans: readonly object[] = SCANS,
): Reply {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (!pathname.startsWith('/api/v1/')) return { status: 200, body: '<!doctype html><title>A page</title>' };
  if (method === 'DELETE') return { status: 204, body: '' };
  if (method === 'PATCH') return { status: 200, body: { ...code, ...JSON.parse(body || '{}') } };
  if (method === 'POST')
    return {
      status: 201,
      body: { ...code, id: idFor(body), slug: idFor(body).slice(-8), ...JSON.parse(body || '{}') },
    };
  if (!searchParams.has('limit')) return { status: 200, body: code };
  const [page, limit] = [Number(searchParams.get('page') ?? 1), Number(searchParams.get('limit'))];
  const rows = pathname.endsWith('/scans') ? scans : [code];
  const pagination = { page, limit, total: rows.length, pages: 1 };
  return { status: 200, body: { data: rows.slice((page - 1) * limit, page * limit), pagination } };
}

/** Sends the right response with these headers; `length` as `rawAnswer` has it. */
export function send(
  request: RawRequest,
  headers: Record<string, string> = {},
  length?: number | null,
  reply: Reply = honest(request),
): void {
  request.socket.write(
    rawAnswer(reply.status, reply.body, headers, reply.status === 204 && length === undefined ? 0 : length),
  );
}

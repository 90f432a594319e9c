import { uptime } from 'node:os';

/** Ms since the machine was started. */
export function uptimeMs(): number {
  return uptime() * 1000;
}

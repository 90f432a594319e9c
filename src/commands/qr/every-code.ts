import { listAllCodes } from '../../service/codes.ts';
import type { Service } from '../../service/service.ts';
import type { QrCode } from '../../service/shapes.ts';

/** Every code of the workspace, proven complete. */
export async function everyCode(service: Pick<Service, 'listCodes'>, concurrency: number): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const page of listAllCodes(service, { concurrency })) codes.push(...page);
  return codes;
}

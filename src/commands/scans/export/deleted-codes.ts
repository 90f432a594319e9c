/** Codes of an appended file or dataset that were deleted on the service: they are reported once, and the others continue. */
import { NotFoundError, PartialError } from '../../../base/errors.ts';
import { getIfThere } from '../../../codes/listing/find-code.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import { recordOf } from '../../../scans/stats/input/record-of-log.ts';
import type { Service } from '../../../service/service.ts';
import { toldFailures } from '../tell-failures.ts';
import type { ExportSinks } from './open-sinks.ts';
import type { ExportPlan } from './plan-export.ts';

/** Returns the IDs of the codes that the file or dataset of the plan has scans of, from its state; none without one. */
export async function codesOfLog({ append, directory, partition }: ExportPlan): Promise<ReadonlySet<string>> {
  if (!append || append.restart || (directory !== undefined && !partition)) return new Set();
  const state = await recordOf(directory === undefined ? { file: append.path } : { directory });
  return new Set(state ? [...state.identity.codes, ...state.overlaps.keys()] : []);
}

/**
 * Separates codes that the output has and that were deleted from those that failed. A43: the output records them, and those that an earlier run
 * recorded are in neither list.
 */
export async function separateDeleted(
  failures: readonly CodeFailure[],
  { sinks, service }: { sinks: Pick<ExportSinks, 'noteGone'>; service: Pick<Service, 'getCode'> },
): Promise<{ failed: CodeFailure[]; deleted: CodeFailure[] }> {
  if (!sinks.noteGone) return { failed: [...failures], deleted: [] };
  const failed: CodeFailure[] = [];
  const deleted: CodeFailure[] = [];
  for (const failure of failures) {
    const { code, error } = failure;
    // One response of 404 for its scans does not show that the code is gone.
    const isGone = error instanceof NotFoundError && (code.missing || !(await getIfThere(service, code.id)));
    const wasTold = isGone ? await sinks.noteGone(code) : undefined;
    if (wasTold === undefined) failed.push(failure);
    else if (!wasTold) deleted.push(failure);
  }
  return { failed, deleted };
}

/** Creates the error of the run that found deleted codes. */
export function wereDeleted(deleted: readonly CodeFailure[], of: number): PartialError {
  const how = `${deleted.length === 1 ? 'was' : 'were'} deleted on the service; the others were exported`;
  return new PartialError(toldFailures(deleted, of, how).join('\n'), {
    hint: 'The exported scans of deleted codes stay in the file. The next run leaves these codes out.',
    cause: deleted[0]?.error,
  });
}

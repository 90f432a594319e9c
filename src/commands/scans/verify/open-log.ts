/** Opens a log that an append keeps, to add missing scans: as the export that wrote it would, from what its state records. */
import { UsageError } from '../../../base/errors.ts';
import { createLocalTime } from '../../../base/time/local-time.ts';
import type { Context } from '../../../context.ts';
import type { CodeSink, TimedRows } from '../../../files/formats/row-sink.ts';
import type { AppendFile } from '../../../scans/append/add-rows.ts';
import type { AppendIdentity } from '../../../scans/append/append-file.ts';
import type { DatasetIdentity } from '../../../scans/dataset/manifest.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import type { Service } from '../../../service/service.ts';
import { loadFormatter } from '../../output-options.ts';
import { addLabels, addLocalTime, LOCAL_TIME } from '../export/added-columns.ts';
import { runOf } from '../export/open-growing.ts';
import { DEFAULT_OVERLAP_MS } from '../export/plan-export.ts';
import type { ScanLog } from './scan-log.ts';

export interface OpenLog extends Pick<AppendFile, 'path' | 'commit' | 'discard' | 'contents' | 'noteGone'> {
  /** Adds scans that the log lacks. Resolves to their number. */
  add(code: CodeLabel, batch: TimedRows): Promise<number>;
}

/** Throws UsageError for a log that no append keeps, and like `openAppendFile`. Holds the lock of the log until `commit` or `discard`. */
export async function openLog(
  context: Context,
  log: ScanLog,
  { codes, movedFrom }: { codes: readonly CodeLabel[]; movedFrom: string | undefined },
  service: Pick<Service, 'workspace' | 'getCode' | 'nowMs'>,
): Promise<OpenLog> {
  const { keptBy, state, paths } = log;
  if (!keptBy || !state) {
    throw new UsageError(`cannot change ${paths.at(-1)}: it was not written with --append`, {
      hint: 'No changes were made. Export the scans again with `qrctl scans export`.',
    });
  }
  const { identity } = state;
  const createFormatter = await loadFormatter(context, outputOf(identity));
  const place = 'directory' in keptBy ? keptBy.directory : keptBy.file;
  const common = {
    own: {
      workspace: service.workspace,
      getCode: service.getCode,
      movedFrom,
      seen: new Set(codes.map(({ id }) => id)),
    },
    ...{
      elsewhere: 'specify a different log with --input',
      overlapMs: DEFAULT_OVERLAP_MS,
      sinceMs: undefined,
      ...runOf(context, place, service),
    },
  };
  const file = await open();
  return { ...file, add: (code, batch) => withColumns(identity, code, file).write(batch) };

  async function open(): Promise<AppendFile> {
    if (keptBy && 'directory' in keptBy) {
      const { openDataset } = await import('../../../scans/dataset/open-dataset.ts');
      const { directory } = keptBy;
      return openDataset({
        ...common,
        directory,
        identity: identity as DatasetIdentity,
        createFormatter,
        append: true,
      });
    }
    const { openAppendFile } = await import('../../../scans/append/append-file.ts');
    // The newest rows may be in a file that was just moved away.
    const rotated = paths.length > 1 || !paths.includes(place);
    return openAppendFile({ ...common, path: place, identity, formatter: createFormatter(), rotated });
  }
}

/** How the export wrote its rows. */
function outputOf({ format, columns, dialect }: AppendIdentity) {
  const { header, excel, rawCells, delimiter = ',' } = dialect;
  return {
    ...{ format, header, excel, rawCells, chosen: true, delimiter: delimiter as ',' },
    columns: columns.map((name) => ({ name })),
    ...{ shape: 'list' as const, path: undefined, gzip: false },
  };
}

/** Rows of the log have the columns of its export, besides those of a scan. */
function withColumns(
  { columns, dialect }: AppendIdentity,
  code: CodeLabel,
  file: AppendFile,
): Pick<CodeSink, 'write'> {
  const plain: CodeSink = { ...file.sinkOf(code.id), write: (batch) => file.addMissing(code.id, batch) };
  const timed =
    columns.includes(LOCAL_TIME) && dialect.timezone !== undefined
      ? addLocalTime(createLocalTime(dialect.timezone), plain)
      : plain;
  return columns.includes('qr_id') ? addLabels(code, timed) : timed;
}

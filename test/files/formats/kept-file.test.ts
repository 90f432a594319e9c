/** T14: which files an output may replace, by their content and by the files beside them. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeDisk } from '#files/durable/node-disk';
import { type FileKind, kindOfFile } from '#files/formats/kept-file';
import { checkWholeFile } from '#files/formats/whole-file';
import { useDirectory } from '../../support/cli.ts';

async function place(files: Record<string, string | Buffer>): Promise<string> {
  const directory = await useDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

const kindOf = async (content: string | Buffer, name = 'out.csv') =>
  kindOfFile(nodeDisk, join(await place({ [name]: content }), name));

const RESULTS = 'id,name,outcome,error\n1,a,created,\n';

describe('a file', () => {
  it.each<[FileKind, string]>([
    ['none', ''],
    ['other', 'id,name\n1,outcome\n2,error\n'],
    ['other', '"is":1'],
    ['other', ' {"is":1}'],
    ['other', '[{"name":"outcome","x":"error"}]'],
    ['other', 'outcomes,errors\n'],
    ['summary', '{"command":"scans export","exit":0}'],
    ['summary', '# HELP qrctl_run_seconds Time\n'],
    ['other', 'x\n# HELP qrctl_run_seconds Time\n'],
    ['config', '{\n  "version": 1,\n  "current": "work",\n  "profiles": {}\n}'],
    ['config', '{"version":12,"profiles":{}}'],
    ['config', '\ufeff{"version":12,"profiles":{}}'],
    ['ledger', '{"is":"begin"}\n'],
    ['lock', '{\n  "version": 1,\n  "base_url": "https://a.example"\n}'],
    ['lock', ' { "base_url": "https://a.example" }'],
    ['state', '{"version":12,"baseUrl":"https://a.example"}'],
    ['manifest', 'id,file,outcome,error,sha256\n'],
    ['check', 'id,outcome,http_status,error\n'],
    ['watch', 'id,outcome,last_scan,expected,error\n'],
    ['other', 'id,last_scan,expected\n'],
    ['plan', 'action,id,field,old,new\n'],
    ['plan', '{"action":"create","changes" : {}}'],
    ['results', RESULTS],
    ['results', '\ufeff"ID"; "Outcome" ;"ERROR"\r\n1;a;b'],
    ['results', 'a {b},outcome,error\n'],
    ['results', 'outcome\terror\rcreated\t'],
    ['results', ' \n[{"id":1,\n"outcome":"created","error":null}]'],
    ['results', '{"outcome":"created","error":null}\n'],
  ])('has the kind %s if it contains %j', async (kind, content) => {
    expect(await kindOf(content)).toBe(kind);
  });

  it('has the same kind if it is compressed, even if only its beginning is read', async () => {
    const noise = randomBytes(40_000).toString('hex');
    expect(await kindOf(gzipSync(RESULTS + noise))).toBe('results');
    expect(await kindOf(gzipSync(noise))).toBe('other');
    expect(await kindOf(Buffer.from('1f8b0000', 'hex'))).toBe('other');
  });

  it.each<[FileKind, string]>([
    ['results', 'codes.results.xlsx'],
    ['results', 'codes.RESULTS.XLSX'],
    ['other', 'codes.results.xlsx.zip'],
    ['other', 'codes.xlsx'],
  ])('has the kind %s if it is a workbook named %s', async (kind, name) => {
    expect(await kindOf('PK\x03\x04', name)).toBe(kind);
    expect(await kindOf('text', name)).toBe('other');
  });

  it.each<[FileKind, string]>([
    ['log', 'scans.csv'],
    ['log', 'scans.csv.1'],
    ['log', 'scans.csv.2.gz'],
    ['log', 'scans.csv-20261101'],
    ['log', 'scans.csv.old'],
    ['log', 'scans.csv.old.12'],
    ['none', 'scans.csv.older'],
    ['none', 'scans-20261101.csv'],
    ['none', 'other.csv'],
  ])(
    'that is missing beside the state of scans.csv has the kind %s if its name is %s',
    async (kind, name) => {
      const directory = await place({ 'scans.csv.state.json': '{"version":1}' });
      expect(await kindOfFile(nodeDisk, join(directory, name))).toBe(kind);
    },
  );

  it('beside a file that is not a state of qrctl is not a log', async () => {
    const directory = await place({
      'a.csv.state.json': '{"a":{"version":1}}',
      'b.csv.state.json/x': '',
      'a.csv': 'id\n',
    });
    expect(await kindOfFile(nodeDisk, join(directory, 'a.csv'))).toBe('other');
    expect(await kindOfFile(nodeDisk, join(directory, 'b.csv'))).toBe('none');
    expect(await kindOfFile(nodeDisk, join(directory, 'b.csv.state.json'))).toBe('none');
  });

  it('of a dataset is a part only if its name and directory are those of a part', async () => {
    const directory = await place({
      '_qrctl.json': '{"version":1}',
      'dt=2026-11-01/part-000012.csv': 'id\n',
      'dt=2026-11-01/my-part-1.csv': 'id\n',
      'dt=2026-11-01/part-a.csv': 'id\n',
      'part-1.csv': 'id\n',
    });
    const kind = (name: string) => kindOfFile(nodeDisk, join(directory, name));
    expect(await kind('dt=2026-11-01/part-000012.csv')).toBe('part');
    expect(await kind('dt=2026-11-01/my-part-1.csv')).toBe('other');
    expect(await kind('dt=2026-11-01/part-a.csv')).toBe('other');
    expect(await kind('part-1.csv')).toBe('other');
  });

  it('that a later run needs is not replaced, unless the command writes this kind of file', async () => {
    const path = join(await place({ 'a.csv': RESULTS }), 'a.csv');
    await expect(checkWholeFile(path)).rejects.toMatchObject({
      message: `cannot write ${path}: it has the results of a bulk run`,
      hint: 'Specify a different file with --output.',
    });
    await checkWholeFile(path, { replaces: ['results'] });
  });
});

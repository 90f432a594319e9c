import { describe, expect, it } from 'vitest';
import { ID, read, refusal, told } from './read.ts';

const REPEATED = 'has the same values as line 2: each row gets its own code';

describe('a warning about equal values', () => {
  const warnings = async (text: string) => told((await read('create', text)).warnings);

  it('is given for a new row, but not for a row whose code exists', async () => {
    const [known, fresh] = [`${ID},a,https://x.de`, ',a,https://x.de'];
    expect(await warnings(`id,name,destination\n${known}\n${fresh}\n`)).toEqual([`line 3: ${REPEATED}`]);
    expect(await warnings(`id,name,destination\n${fresh}\n${known}\n`)).toEqual([]);
    expect(await warnings(`id,name,destination\n${known}\n,b,https://x.de\n`)).toEqual([]);
  });

  it('ignores rows with keys, whether or not their codes exist', async () => {
    const rows = [`1,${ID},a,https://x.de`, ',,a,https://x.de'];
    expect(await warnings(`key,id,name,destination\n${rows.join('\n')}\n`)).toEqual([]);
    expect(await warnings(`key,id,name,destination\n1,,a,https://x.de\n${rows[1]}\n`)).toEqual([]);
  });

  it('ignores rows without a name', async () => {
    expect(await warnings('name,type\n,wifi\n,wifi\n"  ",wifi\n" ",wifi\n')).toEqual([]);
  });

  it('is given for each later row with the same values', async () => {
    expect(await warnings('name,type\na,wifi\na,WiFi\na,\na,wifi\n')).toEqual([
      `line 3: ${REPEATED}`,
      `line 5: ${REPEATED}`,
    ]);
  });
});

describe('a file for `qr create`', () => {
  it('may have no rows, but a table without rows still requires the column `name`', async () => {
    expect(await refusal('create', '[]', { name: 'codes.json' })).toEqual([]);
    expect(await refusal('create', 'destination\n')).toEqual([
      'line 1, column name: is missing; every code needs a name',
    ]);
    expect(await refusal('create', 'name,type\n')).toEqual([]);
  });

  it('requires destinations only for codes of type url or with UTM tags', async () => {
    const fault = 'line 1, column destination: is missing; every code of type url needs one';
    expect(await refusal('create', 'name,type\na,wifi\nb,sms\n')).toEqual([]);
    expect(await refusal('create', 'name,type\na,wifi\nb,url\nc,wifi\n')).toEqual([fault]);
    expect(await refusal('create', 'name,type\na,wifi\n', { utm: { source: 's' } })).toEqual([fault]);
    expect(await refusal('create', 'name,type\na,wfi\n')).toEqual([
      'line 2, column type: "wfi" is not a valid type',
      expect.stringContaining('a valid type is one of'),
    ]);
  });

  it('has at most one fault per cell', async () => {
    expect(
      await refusal('create', '[{"name":"","type":"sms"},{"name":" ","type":"sms"}]', { name: 'x.json' }),
    ).toEqual(['item 1, column name: is empty', 'item 2, column name: contains only spaces']);
    const { rows, faults, doubts } = await read('create', 'name,type,status\na,wifi,printed\n');
    expect([told(faults), doubts, rows[0]?.doubts]).toEqual([
      ['line 2, column status: "printed" is not a valid status'],
      [],
      [],
    ]);
  });
});

/** Valid files of each kind, as text: what is damaged is damaged from these. */
export const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '11111111-2222-4333-8444-666666666666';

export const CODES_CSV = [
  'name,type,destination,note\nMenu,url,https://example.com/menu?a=1#top,"a ""quoted"" note"\nHours,url,https://example.org/,\r\n',
  `id,slug,name,destination,status,utm_source,at\n${ID},spring-menu,"New, name",https://example.com/,paused,poster,2026-11-27 18:00 Europe/Berlin\n,hours,,,active,,2026-11-27T18:00+01:00\n`,
  "sep=;\nname;type;destination\n'=1+1;url;https://example.com/\nB;sms;+49 30 1234567\n",
  'name,type,destination;;\n"A,url,https://example.com/";;\n',
  `name\ttype\tdestination\nA\turl\thttps://example.com/\n`,
];
export const CODES_JSON = [
  `[\n {"name":"Menu","type":"url","destination":"https://example.com/","n":12345678901234567890,"deep":{"a":[1,{"b":null}]}},\n {"id":"${ID}","slug":"x","status":"paused","at":"2026-11-27T18:00Z"}]`,
];
export const CODES_NDJSON = [
  `{"name":"Menu","type":"url","destination":"https://example.com/"}\n{"id":"${ID}","name":"\\ud83d\\ude00","utm_term":"x"}\n\n`,
];
export const SCAN = {
  id: 7,
  ts: '2026-10-01T01:02:03.004Z',
  country: 'DE',
  city: 'Köln',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  referrer: 'https://x.example/?a,b',
};
export const SCANS = Array.from({ length: 8 }, (_, i) => ({
  ...SCAN,
  id: i + 1,
  ts: `2026-10-0${i + 1}T01:02:03.004Z`,
}));
export const SCANS_CSV = [
  `id,ts,country,city,device,os,browser,referrer\n${SCANS.map((scan) =>
    Object.values(scan)
      .map((cell) => `"${cell}"`)
      .join(),
  ).join('\n')}\n`,
  `qr_id,qr_slug,qr_name,id,ts,country,city,device,os,browser,referrer\n${SCANS.map((scan) => [ID, 's', 'n', ...Object.values(scan).slice(0, 7), ''].join()).join('\n')}\n`,
];
export const RESULTS = [
  `name,type,destination,id,slug,short_url,outcome,error,base,decision\nMenu,url,https://example.com/,${ID},menu,,created,,r3fa9c1-77b2e0-a1c4d9,\nB,url,https://example.com/,,,,undecided,"it, failed",,new\n`,
];
export const LIST = [`${ID}\nspring-menu\n"hours"\n`, 'slug\nspring-menu\n'];

const CELL =
  '<c r="A2" t="inlineStr"><is><t>Menu</t></is></c><c r="B2" s="1"><v>45000.5</v></c><c r="C2" t="s"><v>0</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c><f>1+1</f></c>';
export const SHEET = `<worksheet><sheetData><row r="1"><c t="inlineStr"><is><t>name</t></is></c><c t="inlineStr"><is><t>at</t></is></c><c t="inlineStr"><is><t>note</t></is></c></row><row r="2" hidden="1">${CELL}</row></sheetData><mergeCells><mergeCell ref="A3:B4"/></mergeCells></worksheet>`;
export const STYLES =
  '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd [h]:mm;@"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>';
export const RELATIONS =
  '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/><Relationship Id="r3" Type="x/sharedStrings" Target="texts.xml"/></Relationships>';

export const SVG = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" width="20mm"><defs><linearGradient id="a"><stop offset="0" stop-color="#f00"/><stop offset="1"/></linearGradient><clipPath id="c"><circle r="9"/></clipPath></defs><g clip-path="url(#c)" transform="rotate(20 3 4)"><path d="M1 1 L9 9 A3 3 0 1 0 4 4 C1 2 3 4 5 6 Z" fill="url(#a)"/></g><style>.x{fill:#00f}</style><rect class="x" width="5" height="4e0"/></svg>',
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><polygon points="0,0 8,0 4,8" style="fill:red;opacity:.5"/><title>a &amp; b</title></svg>',
];

export const WORKSPACE = { baseUrl: 'https://qr.example/api/v1' };
const VALUES = { name: 'Menu', destination: 'https://example.com/', status: 'active' };
export const LEDGER = [
  { is: 'ledger', version: 1, ...WORKSPACE },
  {
    is: 'claim',
    claim: {
      id: OTHER,
      rows: [],
      origin: 'found',
      order: 1,
      run: 'r0',
      stored: VALUES,
      isDecided: false,
      isDeleted: false,
    },
  },
  { is: 'stored', field: 'name', value: 'A  b', stored: 'A b' },
  { is: 'replaced', id: OTHER, by: ID },
  { is: 'counters', next: 1, order: 1 },
  { is: 'run', run: 'r1', ids: [OTHER] },
  {
    is: 'post',
    run: 'r1',
    n: 1,
    values: { name: 'Menu', type: 'menu', destination: 'https://example.com/' },
    key: 'k',
  },
  { is: 'made', n: 1, id: ID, slug: 'menu', stored: VALUES },
  { is: 'post', run: 'r1', n: 2, values: { name: 'B' }, status: 'paused' },
  { is: 'post', run: 'r1', n: 3, values: { name: 'B' }, again: 2, decided: true },
  {
    is: 'patch',
    run: 'r1',
    n: 4,
    id: ID,
    set: { name: 'b' },
    before: { name: 'Menu' },
    row: { name: 'b' },
    pause: 'backup',
  },
  { is: 'set', n: 4, stored: { name: 'b' } },
  { is: 'delete', run: 'r1', n: 5, id: OTHER },
  { is: 'deleted', n: 5 },
  { is: 'found', run: 'r1', id: ID, row: { name: 'b' }, stored: VALUES },
  { is: 'decided', n: 2 },
  { is: 'end', run: 'r1' },
];
export const LOCK = `{
"version": 1,
"base_url": "${WORKSPACE.baseUrl}",
"codes": [
{"key":"a","id":"${ID}","slug":"menu","name":"Menu","type":"url","destination":null,"status":"active","removed":"paused"},
{"key":"b","id":"${OTHER}","slug":"x","name":"B","type":"url","destination":"https://example.com/","status":"paused"},
null
]}
`;
const OVERLAP = {
  watermarkMs: 5,
  rows: 2,
  idsFromMs: null,
  rereadFromMs: 1,
  movedIdsFromMs: null,
  ids: [
    ['7', 5],
    ['8', 6],
  ],
};
export const IDENTITY = {
  codes: [ID],
  all: false,
  columns: ['id', 'ts', 'qr_id'],
  format: 'csv' as const,
  dialect: { header: true, excel: false, rawCells: false },
};
export const STATE = {
  version: 2,
  ...WORKSPACE,
  ...IDENTITY,
  bytes: 9,
  sha256: 'f'.repeat(64),
  blocks: '',
  replacing: false,
  positions: { [ID]: OVERLAP },
};
export const MANIFEST = {
  version: 1,
  ...WORKSPACE,
  ...IDENTITY,
  partition: { by: 'day', timezone: 'UTC' },
  next: 2,
  parts: [['dt=2026-10-01', 1, 2, 3, 4]],
  positions: { [ID]: OVERLAP },
};

export const IMAGE_MANIFEST = `id,slug,name,url,file,format,mm,modules,version,ecc,sha256,outcome,error
${ID},a,b,https://x.y/a,a.png,png,30,25,2,M,ff,written,
`;

export const CODE = `{"id":"${ID}","slug":"menu","name":"Menu","type":"url","destination":null,"status":"active","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`;
export const CODE_PAGE = `{"data":[${CODE}],"pagination":{"page":1,"limit":100,"total":1,"pages":1}}`;
export const SCAN_PAGE = `{"data":${JSON.stringify(SCANS)},"pagination":{"page":1,"limit":500,"total":8,"pages":1}}`;

export const HEADERS = [
  'Date: Sun, 06 Nov 1994 08:49:37 GMT\nX-RateLimit-Plan: free\nX-RateLimit-Limit: 60\nX-RateLimit-Remaining: 59\nX-RateLimit-Reset: 784111800\nRetry-After: 30',
  'Date: Mon, 21 Sep 2026 00:00:00 GMT\nRetry-After: Mon, 21 Sep 2026 00:01:00 GMT\nX-RateLimit-Remaining: 0\nSet-Cookie: a=b; Domain=.example.com; Max-Age=5',
];
const HEAD = HEADERS.map((lines) => lines.replaceAll('\n', '\r\n'));

/** Whole responses, by whatever ends their bodies. */
export const RESPONSES = [
  `HTTP/1.1 200 OK\r\n${HEAD[0]}\r\nContent-Type: application/json\r\nContent-Length: ${CODE_PAGE.length}\r\n\r\n${CODE_PAGE}`,
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n${CODE_PAGE.length.toString(16)};a=b\r\n${CODE_PAGE}\r\n0\r\nx: y\r\n\r\n`,
  `HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n${CODE_PAGE}`,
  `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 429 Too Many\r\n${HEAD[1]}\r\nContent-Length: 0\r\n\r\n`,
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 301 Moved\r\nLocation: /next?a=b\r\nSet-Cookie: seen=1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 35\r\n\r\n{"error":"not found","code":"gone"}',
];

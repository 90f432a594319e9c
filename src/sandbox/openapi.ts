import { CODE_STATUSES, CODE_TYPES, DEVICES, type QrCode, type Scan } from '#service/shapes';
import { CODES_PAGE, type PageBounds, SCANS_PAGE } from './endpoints.ts';

type Json = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const integer = { type: 'integer' };
const nullableText = { type: ['string', 'null'] };
const uuid = { type: 'string', format: 'uuid' };
const dateTime = { type: 'string', format: 'date-time' };
const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const schema = (name: string): Json => ref('schemas', name);
const oneOf = (values: readonly string[]): Json => ({ type: 'string', enum: values });

function record(properties: Json, description: string): Json {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

function pageOf(name: string, description: string): Json {
  const data = { type: 'array', items: schema(name) };
  return record({ data, pagination: schema('Pagination') }, description);
}

const code = {
  id: uuid,
  slug: { ...text, description: 'Short identifier of the code' },
  name: { ...text, description: 'Free text' },
  type: oneOf(CODE_TYPES),
  destination: { ...nullableText, description: 'Address that the code points to' },
  status: oneOf(CODE_STATUSES),
  created_at: dateTime,
  updated_at: dateTime,
} satisfies Record<keyof QrCode, Json>;

const scan = {
  id: { ...integer, description: 'Scan row identifier' },
  ts: { ...dateTime, description: 'Time of the scan' },
  country: { ...nullableText, description: 'Country code' },
  city: { ...nullableText, description: 'City name' },
  device: oneOf(DEVICES),
  os: { ...text, description: 'Operating system name' },
  browser: { ...text, description: 'Browser name' },
  referrer: { ...nullableText, description: 'Referrer of the scan' },
} satisfies Record<keyof Scan, Json>;

const onePage = { page: 1, limit: 20, total: 1, pages: 1 };
const exampleCode: QrCode = {
  id: '3f0c5a52-7d0e-4b8e-9c2a-5f1f6f3a9d10',
  slug: 'aB3xY',
  name: 'Summer menu',
  type: 'menu',
  destination: 'https://www.example.com/menu',
  status: 'active',
  created_at: '2025-01-01T09:00:00.000Z',
  updated_at: '2025-01-01T09:00:00.000Z',
};
const exampleScan: Scan = {
  id: 1,
  ts: '2025-01-01T12:00:00.000Z',
  country: 'DE',
  city: 'Berlin',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  referrer: null,
};
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  QRCode: exampleCode,
  QRCodePage: { data: [exampleCode], pagination: onePage },
  ScanPage: { data: [exampleScan], pagination: onePage },
};

const pagination = {
  page: { ...integer, description: 'Page number of this result' },
  limit: { ...integer, description: 'Page size of this result' },
  total: { ...integer, description: 'Total number of matching items' },
  pages: { ...integer, description: 'Total number of pages' },
};

const schemas = {
  QRCode: record(code, 'A dynamic QR code'),
  Scan: record(scan, 'One raw scan record of a QR code'),
  Pagination: record(pagination, 'Position of a page in the list'),
  Error: record({ error: text, code: text }, 'Error message and code'),
  QRCodePage: pageOf('QRCode', 'A page of codes'),
  ScanPage: pageOf('Scan', 'A page of scans'),
  NewQRCode: {
    type: 'object',
    required: ['name'],
    properties: { name: text, type: { ...oneOf(CODE_TYPES), default: 'url' }, destination: text },
  },
  QRCodeChanges: {
    type: 'object',
    properties: { name: text, destination: text, status: oneOf(CODE_STATUSES) },
  },
};

const headers = {
  'X-RateLimit-Plan': header("Plan governing the key's limit", 'business'),
  'X-RateLimit-Limit': header('Maximum requests allowed per minute', '1000'),
  'X-RateLimit-Remaining': header('Requests left in the current window', '999'),
  'X-RateLimit-Reset': header('Unix epoch time in seconds when the window resets', '1735689660'),
  'Retry-After': header('Seconds until the window resets', '60'),
};

function header(description: string, example: string): Json {
  return { description, required: true, schema: text, example };
}

const rateHeaders = Object.fromEntries(
  Object.keys(headers)
    .filter((name) => name !== 'Retry-After')
    .map((name) => [name, ref('headers', name)]),
);

function response(description: string, body?: string): Json {
  const example = body !== undefined && body in EXAMPLES ? { example: EXAMPLES[body] } : {};
  const content =
    body === undefined ? {} : { content: { 'application/json': { schema: schema(body), ...example } } };
  return { description, headers: rateHeaders, ...content };
}

const responses = {
  BadRequest: response('Validation error', 'Error'),
  Unauthorized: response('Missing or invalid API key', 'Error'),
  PlanLimit: response("Plan limit reached: the plan's limit on codes", 'Error'),
  NotFound: response('Not found', 'Error'),
  RateLimited: {
    ...response('Rate limit exceeded for the workspace in this minute', 'Error'),
    headers: { ...rateHeaders, 'Retry-After': ref('headers', 'Retry-After') },
  },
};

const RESPONSE_OF_STATUS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'PlanLimit',
  404: 'NotFound',
  429: 'RateLimited',
};

function responsesOf(success: Json, ...failures: (keyof typeof RESPONSE_OF_STATUS)[]): Json {
  const statuses = [...failures, 401, 429] as const;
  return {
    ...success,
    ...Object.fromEntries(statuses.map((status) => [status, ref('responses', RESPONSE_OF_STATUS[status])])),
  };
}

function body(name: string): Json {
  return { required: true, content: { 'application/json': { schema: schema(name) } } };
}

function query(name: string, description: string, shape: Json): Json {
  return { name, in: 'query', required: false, description, schema: shape };
}

function paging({ defaultLimit, maxLimit }: PageBounds): Json[] {
  return [
    query('page', 'Page number', { ...integer, minimum: 1, default: 1 }),
    query('limit', 'Page size', { ...integer, minimum: 1, maximum: maxLimit, default: defaultLimit }),
  ];
}

const idParameter = { name: 'id', in: 'path', required: true, description: 'ID of the code', schema: uuid };

const paths = {
  '/qr': {
    get: {
      operationId: 'listQrCodes',
      summary: "Lists the QR codes of the key's workspace",
      parameters: paging(CODES_PAGE),
      responses: responsesOf({ 200: response('A page of codes', 'QRCodePage') }, 400),
    },
    post: {
      operationId: 'createQrCode',
      summary: "Creates a dynamic QR code in the key's workspace",
      requestBody: body('NewQRCode'),
      responses: responsesOf({ 201: response('The new code', 'QRCode') }, 400, 403),
    },
  },
  '/qr/{id}': {
    parameters: [idParameter],
    get: {
      operationId: 'getQrCode',
      summary: 'Reads one QR code',
      responses: responsesOf({ 200: response('The code', 'QRCode') }, 404),
    },
    patch: {
      operationId: 'updateQrCode',
      summary: 'Changes name, destination or status',
      requestBody: body('QRCodeChanges'),
      responses: responsesOf({ 200: response('The changed code', 'QRCode') }, 400, 404),
    },
    delete: {
      operationId: 'deleteQrCode',
      summary: 'Permanently deletes the code and all its scans',
      responses: responsesOf({ 204: response('Deleted') }, 404),
    },
  },
  '/qr/{id}/scans': {
    parameters: [idParameter],
    get: {
      operationId: 'listScans',
      summary: 'Reads the raw scan log of one QR code',
      parameters: [
        ...paging(SCANS_PAGE),
        query('since', 'Lower time filter', dateTime),
        query('until', 'Upper time filter', dateTime),
      ],
      responses: responsesOf({ 200: response('A page of scans', 'ScanPage') }, 400, 404),
    },
  },
};

export function openApi(basePath: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dynamic QR Code Service',
      version: '1.0.0',
      description:
        'Dynamic QR codes and their raw scan records. Limits are counted per workspace and minute.',
    },
    servers: [{ url: basePath }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      headers,
      responses,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API keys begin with svc_live_' },
      },
    },
  };
}

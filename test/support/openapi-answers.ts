import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Checked {
  readonly method: string;
  /** As Fastify writes it, `/v2/labels/:id`; undefined: no route was found. */
  readonly route: string | undefined;
  readonly status: number;
  readonly contentType: string;
  /** Undefined: bytes, or nothing. */
  readonly body: string | undefined;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> } | undefined>>>
  >;
}
interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/** Every time of an answer is written alike; other formats serve the reader. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  ...Object.fromEntries(
    ['binary', 'country', 'date', 'http-url', 'local-date-time', 'time-zone'].map((name) => [name, true]),
  ),
};

/** What no route answers, every route may answer so. */
const ANY_ERROR = 'doc#/components/schemas/ErrorReply';
const compiled = new Map<string, (reference: string) => ValidateFunction>();

/** Answers of an API against its OpenAPI document: says what is not as described, or nothing. */
export const checkerOf = (documentText: string): ((answer: Checked) => string | undefined) => {
  const document = JSON.parse(documentText) as Document;
  let validatorOf = compiled.get(documentText);
  if (validatorOf === undefined) {
    validatorOf = validators(document);
    compiled.set(documentText, validatorOf);
  }
  const validate = validatorOf;
  return (answer) => {
    // Pages and their files are no part of the API, and the own fleet describes its routes itself.
    if (answer.route !== undefined && /^\/(?:console|driver|fleet\/v1)(?:\/|$)/.test(answer.route)) return undefined;
    const name = `${answer.method} ${answer.route ?? '(no route)'} ${answer.status}`;
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const path = answer.route?.replaceAll(/:(\w+)/g, '{$1}');
    const described = path === undefined ? undefined : document.paths[path]?.[method];
    let reference = answer.status === 400 ? ANY_ERROR.replace('ErrorReply', 'BadRequestReply') : ANY_ERROR;
    if (path !== undefined && described !== undefined) {
      const response = described.responses[String(answer.status)];
      // A profile may answer a carrier's webhook with any number and body.
      if (response === undefined && path.includes('/webhook')) return undefined;
      if (response === undefined) return `${name}: the document knows no such answer: ${answer.body}`;
      if (response.content?.['*/*'] !== undefined) return undefined;
      const type = answer.contentType.split(';')[0] ?? '';
      if (response.content?.[type] === undefined) return `${name}: the document knows no ${type} here`;
      if (type !== 'application/json') return undefined;
      reference = `doc#/paths/${pointer(path)}/${method}/responses/${answer.status}/content/application~1json/schema`;
    }
    if (answer.method === 'HEAD') return undefined;
    const valid = validate(reference);
    if (valid(parsed(answer.body))) return undefined;
    return `${name}: ${JSON.stringify(valid.errors)}: ${answer.body?.slice(0, 2_000)}`;
  };
};

const validators = (document: Document): ((reference: string) => ValidateFunction) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  ajv.addSchema({ ...document, $id: 'doc' });
  const known = new Map<string, ValidateFunction>();
  return (reference) => {
    const validate = known.get(reference) ?? ajv.compile({ $ref: reference });
    known.set(reference, validate);
    return validate;
  };
};

const pointer = (path: string): string =>
  path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');

const parsed = (body: string | undefined): unknown => {
  try {
    return JSON.parse(body ?? '') as unknown;
  } catch {
    return undefined;
  }
};

/**
 * What a carrier takes, beyond its cases: `fixtures/<carrier>/<name>.schema.json` describes decoded bodies of requests.
 * `x-requests` names them: `POST /v1/orders/{id}`, the end of a path, and behind `#` the element that an XML body or
 * its envelope holds. `x-sequence: true` demands keys in the order of `properties`, as an XSD's sequence does; with `x-query: true` it is the
 * query that is described.
 */
import { type AnySchemaObject, Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { Failure, messageOf } from '../../engine/failure.ts';
import { isMap, valueAt } from '../../engine/value.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import type { CaseFiles } from './read.ts';
import { decodedBody, segmentsOf } from './requests.ts';

interface RequestSchema {
  readonly method: string;
  readonly segments: readonly string[];
  readonly element: string | undefined;
  readonly isOfQuery: boolean;
  readonly validate: ValidateFunction;
}

export interface SentRequest extends Pick<WireRequest, 'headers' | 'body'> {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
}

export const schemaRequestOf = ({ method, url, headers, body }: WireRequest): SentRequest => {
  const { pathname, searchParams } = new URL(url);
  return { method, segments: segmentsOf(pathname), query: Object.fromEntries(searchParams), headers, body };
};

const REQUEST = /^(GET|POST|PUT|PATCH|DELETE) (\/[^#\s]*)(?:#([\w.-]+))?$/;

/** Throws a `Failure` that names the file where one is no schema of requests. */
export const readSchemas = (carrier: string, files: CaseFiles) => {
  const folder = `fixtures/${carrier}`;
  const names = files.list(folder).filter((name) => name.endsWith('.schema.json'));
  const schemas = names.flatMap((name) =>
    compileSchema(`${folder}/${name}`, files.read(`${folder}/${name}`)?.toString() ?? ''),
  );
  return {
    /** Sentences that name the place and what it may hold; none where the carrier would take the request. */
    findingsOf: (request: SentRequest): readonly string[] => {
      const fitting = schemas.filter(
        ({ method, segments }) => method === request.method && isEnd(segments, request.segments),
      );
      const body = fitting.length === 0 ? undefined : decodedBody(request);
      return fitting.flatMap(({ element, isOfQuery, validate }) => {
        const part = isOfQuery ? request.query : element === undefined ? body : elementOf(body, element);
        if (element !== undefined && part === undefined) return [];
        return validate(part) ? [] : sentencesOf(validate.errors ?? []);
      });
    },
  };
};
export type RequestSchemas = ReturnType<typeof readSchemas>;

/** By its text: one file is asked for by every case of its carrier. */
const compiled = new Map<string, readonly RequestSchema[]>();

const compileSchema = (file: string, text: string): readonly RequestSchema[] => {
  const known = compiled.get(text) ?? compileText(file, text);
  compiled.set(text, known);
  return known;
};

const compileText = (file: string, text: string): readonly RequestSchema[] => {
  try {
    const {
      'x-requests': requests,
      'x-query': isOfQuery = false,
      ...schema
    } = JSON.parse(text) as Record<string, unknown>;
    if (!Array.isArray(requests) || requests.length === 0)
      throw new Error('x-requests must list requests, as POST /orders');
    const validate = ajv().compile(schema);
    return requests.map((written) => {
      const [, method = '', path = '', element] = REQUEST.exec(String(written)) ?? [];
      if (method === '') throw new Error(`x-requests has "${String(written)}", which is no request as POST /orders`);
      return {
        method,
        segments: segmentsOf(path),
        element,
        isOfQuery: isOfQuery === true,
        validate,
      };
    });
  } catch (thrown) {
    throw new Failure(`${file}: ${messageOf(thrown)}`, { code: 'schema_invalid', place: { file, line: 1, column: 1 } });
  }
};

const ajv = (): Ajv2020 => {
  const made = new Ajv2020({ allErrors: true, strict: false, verbose: true });
  made.addKeyword({
    keyword: 'x-sequence',
    type: 'object',
    schemaType: 'boolean',
    compile: (_: boolean, parent: AnySchemaObject) => (value: object) => {
      const order = Object.keys((parent['properties'] ?? {}) as object);
      const places = Object.keys(value).flatMap((key) => (order.includes(key) ? [order.indexOf(key)] : []));
      return places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0));
    },
  });
  return made;
};

const isEnd = (segments: readonly string[], of: readonly string[]): boolean =>
  segments.length <= of.length &&
  segments.every((segment, at) => segment.startsWith('{') || segment === of[of.length - segments.length + at]);

/** The content of a root, or of what an envelope holds. */
const elementOf = (body: unknown, name: string): unknown =>
  isMap(body) ? (valueAt(body, name) ?? valueAt(body, 'Envelope', 'Body', name)) : undefined;

const SHOWN_MAX = 60;

const sentencesOf = (errors: readonly ErrorObject[]): readonly string[] =>
  errors
    .filter(({ keyword }) => !['if', 'anyOf', 'oneOf'].includes(keyword))
    .map(({ instancePath, message, keyword, data, params }) => {
      const place = instancePath.replace(/^\//, '').replaceAll('/', '.') || 'the body';
      if (keyword === 'x-sequence') return `${place} has its elements in another order`;
      const allowed =
        keyword === 'enum' ? `: ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}` : '';
      const extra =
        keyword === 'additionalProperties' ? ` (${(params as { additionalProperty: string }).additionalProperty})` : '';
      const seen =
        typeof data === 'string' || typeof data === 'number'
          ? `, but is ${JSON.stringify(data).slice(0, SHOWN_MAX)}`
          : '';
      return `${place} ${message ?? 'is wrong'}${allowed}${extra}${seen}`;
    });

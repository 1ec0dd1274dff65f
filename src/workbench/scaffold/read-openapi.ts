/** Reads the calls of an OpenAPI document (3.x, or Swagger 2.0), and how they authenticate. */
import { codecOf } from '../../engine/codecs/codec.ts';
import { Failure } from '../../engine/failure.ts';
import { wholeSchema } from '../../engine/mapping/types/schema-type.ts';
import { isMap, isScalar, valueAt } from '../../engine/value.ts';
import { type Answer, BODY_FORMATS, type Body, type Call, METHODS } from './sample.ts';
import { type Auth, type AuthKind } from './credentials.ts';
import { type ShapeField, type Scalar, type BodyShape, sampleOfShape, shapeOfSample, TEXT_SHAPE } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 12;

const mapOf = (value: unknown): Fields => (isMap(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What a description, OpenAPI or a text, says of a carrier. */
export interface DescribedApi {
  readonly calls: readonly Call[];
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly sandboxUrl?: string | undefined;
  /** Codes, and what they mean; of returns, where they have their own. */
  readonly statuses?: ReadonlyMap<string, string>;
  readonly returns?: ReadonlyMap<string, string>;
  /** How a call authenticates, as its security says. */
  readonly authOf: (call: Call) => Auth | undefined;
  readonly ignored: readonly string[];
}

export const isOpenApi = (document: unknown): document is Fields =>
  isMap(document) && (document['openapi'] !== undefined || document['swagger'] !== undefined);

/** `from`: the file. Throws a `Failure` when the document has no paths. */
export const readOpenApi = (document: Fields, from: string): DescribedApi => {
  if (!isMap(document['paths']))
    throw new Failure(`${from} is no OpenAPI document: it has no paths`, { code: 'openapi_unreadable' });
  const operations = new Map<string, Fields>();
  const ignored: string[] = [];
  const calls = Object.entries(document['paths']).flatMap(([path, given]) => {
    const item = resolved(given, document);
    return METHODS.flatMap((method): Call[] => {
      const operation = item[method];
      if (!isMap(operation)) return [];
      const place = `${from}#${method} ${path}`;
      operations.set(place, operation);
      const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) =>
        resolved(one, document),
      );
      const required = parameters.filter((one) => one['in'] === 'header' && one['required'] === true);
      const headers = required.map((one): [string, string] => [
        String(one['name']).toLowerCase(),
        shown(one, document) ?? 'example',
      ]);
      const [server] = serversIn(operation['servers'] ?? item['servers']);
      try {
        return [
          {
            from: place,
            about: [operation['operationId'], operation['summary']].flatMap((one) => textOf(one) ?? []).join(' '),
            method,
            url: `${server?.url ?? ''}${path}`,
            headers: Object.fromEntries(headers),
            request: requestOf(operation, parameters, document),
            answers: Object.entries(mapOf(operation['responses'])).flatMap(([status, held]) =>
              answersOf(status, held, document),
            ),
          },
        ];
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        ignored.push(`${place}: ${thrown.message}`);
        return [];
      }
    });
  });
  return {
    calls,
    name: textOf(valueAt(document, 'info', 'title'))?.slice(0, 80),
    ...hostsOf(document),
    authOf: (call) => authOf(operations.get(call.from) ?? {}, document),
    ignored,
  };
};

// Bodies -------------------------------------------------------------------------------------------------------------

const resolved = (value: unknown, document: Fields): Fields => mapOf(wholeSchema(document, value));
const shown = (held: Fields, document: Fields): string | undefined => {
  const schema = resolved(held['schema'], document);
  const value =
    held['example'] ?? held['default'] ?? schema['example'] ?? schema['default'] ?? listOf(schema['enum'])[0];
  return isScalar(value) ? String(value) : undefined;
};

const requestOf = (operation: Fields, parameters: readonly Fields[], document: Fields): Body | undefined => {
  const inBody = parameters.find((one) => one['in'] === 'body');
  const inForm = parameters.filter((one) => one['in'] === 'formData');
  if (inForm.length > 0) {
    const fields = inForm.map((one) => ({
      name: String(one['name']),
      required: one['required'] === true,
      shape: shapeOf(one, document, one['example'], 0),
    }));
    return { format: 'form', isShown: false, shape: { kind: 'map', fields } };
  }
  const found = contentOf(operation['requestBody'] ?? inBody, document);
  if (found === undefined) return undefined;
  const { type, shape, name } = found;
  const codec = codecOf(type);
  const format = codec === 'soap' ? 'xml' : (BODY_FORMATS.find((one) => one === codec) ?? 'json');
  const isRooted = format !== 'xml' || shape.kind !== 'map' || name === undefined;
  return {
    format,
    isShown: false,
    shape: isRooted ? shape : { kind: 'map', fields: [{ name, required: true, shape }] },
  };
};

const answersOf = (status: string, held: unknown, document: Fields): Answer[] => {
  const code = /^\d{3}$/.test(status) ? Number(status) : /^(?:4xx|default)$/i.test(status) ? 400 : undefined;
  if (code === undefined) return [];
  const shape = contentOf(held, document)?.shape;
  const sample = shape === undefined ? '' : JSON.stringify(sampleOfShape(shape), undefined, 2);
  const contentType = shape === undefined ? 'text/plain' : 'application/json';
  return [{ status: code, contentType, bytes: Buffer.from(sample), shape }];
};

/** What holds a schema: right there in Swagger 2.0, by media types in OpenAPI. */
const contentOf = (held: unknown, document: Fields) => {
  const holder = resolved(held, document);
  const types = Object.entries(mapOf(holder['content']));
  const [type = 'application/json', content] = ['json', 'xml', 'urlencoded', 'multipart'].flatMap(
    (word) => types.find(([one]) => one.includes(word)) ?? [],
  ) as [string?, unknown?];
  const { schema, example, examples } =
    holder['schema'] === undefined
      ? mapOf(content)
      : { schema: holder['schema'], example: valueAt(holder['examples'], 'application/json'), examples: undefined };
  const [first] = Object.values(mapOf(examples));
  const sample = example ?? resolved(first, document)['value'];
  if (schema === undefined)
    return sample === undefined ? undefined : { type, name: undefined, shape: shapeOfSample(sample) };
  const whole = resolved(schema, document);
  const name = textOf(valueAt(whole, 'xml', 'name')) ?? textOf(valueAt(schema, '$ref'))?.split('/').at(-1);
  return { type, name, shape: shapeOf(schema, document, sample, 0) };
};

const shapeOf = (given: unknown, document: Fields, example: unknown, depth: number): BodyShape => {
  const schema = withChoice(given, document);
  const held = example ?? schema['example'] ?? schema['default'] ?? listOf(schema['examples'])[0];
  const type = [schema['type']].flat().find((one) => one !== 'null');
  const inner = (of: unknown, sample: unknown): BodyShape =>
    depth > DEPTH_MAX ? TEXT_SHAPE : shapeOf(of, document, sample, depth + 1);
  if (type === 'array' || schema['items'] !== undefined) {
    const samples = listOf(held).length === 0 ? [undefined] : listOf(held);
    return { kind: 'list', of: samples.map((sample) => inner(schema['items'], sample)) };
  }
  if (isMap(schema['properties'])) {
    const required = listOf(schema['required']);
    const fields = Object.entries(schema['properties']).map(([name, of]): ShapeField => ({
      name,
      required: required.includes(name) || valueAt(held, name) !== undefined,
      isDemanded: required.includes(name),
      shape: inner(of, valueAt(held, name)),
    }));
    return {
      kind: 'map',
      isOpen: ['oneOf', 'anyOf', 'additionalProperties', 'patternProperties'].some((key) => Boolean(schema[key])),
      fields: fields.filter(({ name }) => mapOf(mapOf(schema['properties'])[name])['readOnly'] !== true),
    };
  }
  return type === 'object' ? { kind: 'map', fields: [], isOpen: true } : scalarOf(schema, type, held);
};

const scalarOf = (schema: Fields, type: unknown, held: unknown): Scalar => {
  const oneOf = listOf(schema['enum']).filter(isScalar);
  return {
    kind: 'scalar',
    type: type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'boolean' : 'text',
    ...(isScalar(held) ? { example: held } : {}),
    ...(oneOf.length === 0 ? {} : { oneOf }),
    ...(typeof schema['description'] === 'string' ? { description: schema['description'].slice(0, 200) } : {}),
    ...(typeof schema['maxLength'] === 'number' ? { maxLength: schema['maxLength'] } : {}),
  };
};

/** Of `oneOf` and `anyOf` the first is taken. */
const withChoice = (given: unknown, document: Fields, depth = 0): Fields => {
  const schema = resolved(given, document);
  const [choice] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])].filter(
    (one) => mapOf(one)['type'] !== 'null',
  );
  return choice === undefined || depth > DEPTH_MAX
    ? schema
    : resolved({ allOf: [withChoice(choice, document, depth + 1), schema] }, document);
};

// Where, and how to authenticate -------------------------------------------------------------------------------------

/** Variables of a server have defaults. */
const serversIn = (servers: unknown) =>
  listOf(servers)
    .map(mapOf)
    .flatMap((server) => {
      const variables = mapOf(server['variables']);
      const filled = (textOf(server['url']) ?? '').replaceAll(
        /\{(\w+)\}/g,
        (whole, name: string) => textOf(valueAt(variables, name, 'default')) ?? whole,
      );
      const url = filled.replaceAll(/\/+$/g, '').replace(/^\/\//, 'https://');
      const isTest = IS_TEST.test(`${url} ${textOf(server['description']) ?? ''}`);
      return /^https?:\/\/[^{}]+$/.test(url) ? [{ url: url.replace(/^http:/, 'https:'), isTest }] : [];
    });
export const IS_TEST = /sandbox|test|stag|demo|uat|\bdev\b|wwwcie|mock/i;

const hostsOf = (document: Fields): Pick<DescribedApi, 'url' | 'sandboxUrl'> => {
  const host = textOf(document['host']);
  const swagger =
    host === undefined ? [] : serversIn([{ url: `https://${host}${textOf(document['basePath']) ?? ''}` }]);
  const urls = [...serversIn(document['servers']), ...swagger];
  const real = urls.find(({ isTest }) => !isTest) ?? urls[0];
  const test = urls.find(({ isTest }) => isTest);
  return { url: real?.url, sandboxUrl: test === real ? undefined : test?.url };
};

/** The first scheme that needs nobody at a browser; its own security goes before the document's. */
const authOf = (operation: Fields, document: Fields): Auth | undefined => {
  const schemes = mapOf(valueAt(document, 'components', 'securitySchemes') ?? document['securityDefinitions']);
  const demanded = listOf(operation['security'] ?? document['security']).flatMap((one) => Object.keys(mapOf(one)));
  const names = demanded.length > 0 ? demanded : Object.keys(schemes);
  return names.map((name) => schemeOf(resolved(schemes[name], document))).find((auth) => auth !== undefined);
};

const kind = (one: AuthKind): Auth => ({ kind: one });

const schemeOf = (scheme: Fields): Auth | undefined => {
  switch (scheme['type']) {
    case 'basic':
      return kind('basic');
    case 'http':
      return kind(String(scheme['scheme']).toLowerCase() === 'basic' ? 'basic' : 'bearer');
    case 'apiKey': {
      const name = textOf(scheme['name']);
      if (name === undefined || scheme['in'] === 'cookie') return undefined;
      // Many say so where they mean a token.
      if (/^authorization$/i.test(name) && /bearer/i.test(String(scheme['description']))) return kind('bearer');
      return { kind: 'apiKey', [scheme['in'] === 'query' ? 'query' : 'header']: name };
    }
    case 'oauth2': {
      const flow = isMap(scheme['flows'])
        ? scheme['flows']['clientCredentials']
        : /^(?:application|accessCode)$/.test(String(scheme['flow']))
          ? scheme
          : undefined;
      return flow === undefined ? undefined : { kind: 'oauth2', tokenUrl: textOf(valueAt(flow, 'tokenUrl')) };
    }
    default:
      return undefined;
  }
};

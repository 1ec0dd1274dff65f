/** Reads what matters of an OpenAPI document (3.x, or Swagger 2.0): how to create, cancel and track, and how to authenticate. */
import { Failure } from '../../engine/failure.ts';
import { wholeSchema } from '../../engine/mapping/types/schema-type.ts';
import { isMap, valueAt } from '../../engine/value.ts';
import { type AuthKind, type DescribedCall, type Described, findEvents } from './describe.ts';
import { type ShapeField, type Scalar, type BodyShape, TEXT_SHAPE, wordsIn } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 12;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const mapOf = (value: unknown): Fields => (isMap(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export type FromDocument = Partial<Omit<Described, 'code' | 'format'>> & Pick<Described, 'create' | 'statuses'>;

/** Throws a `Failure` when it is no OpenAPI document, or nothing in it looks like an order for a carrier. */
export const readOpenApi = (document: unknown): FromDocument => {
  if (!isMap(document) || !isMap(document['paths'])) {
    throw new Failure('this is no OpenAPI document: it has no paths', { code: 'openapi_unreadable' });
  }
  const calls = callsOf(document);
  const create = best(calls, CREATE);
  if (create === undefined) {
    throw new Failure('no call of this document looks like the order of a shipment', {
      code: 'openapi_without_create',
    });
  }
  const track = best(calls, TRACK)?.call;
  const title = textOf(valueAt(document, 'info', 'title'));
  return {
    ...(title === undefined ? {} : { name: title.slice(0, 80) }),
    ...serversOf(document),
    ...authOf(document),
    create: create.call,
    cancel: best(calls, CANCEL)?.call,
    track,
    error: responseOf(create.operation, document, '4'),
    statuses: (findEvents(track?.response)?.code.shape.oneOf ?? []).map(String),
  };
};

// Calls --------------------------------------------------------------------------------------------------------------

interface Found {
  readonly call: DescribedCall;
  readonly operation: Fields;
  /** Words of path, id, summary and tags. */
  readonly words: ReadonlySet<string>;
}

const callsOf = (document: Fields): readonly Found[] =>
  Object.entries(mapOf(document['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method): Found[] => {
      const operation = valueAt(item, method);
      if (!isMap(operation)) return [];
      const texts = [path, operation['operationId'], operation['summary'], ...[operation['tags']].flat()];
      const words = new Set(texts.flatMap((text) => wordsIn(textOf(text) ?? '')).map(singular));
      const request = requestOf(operation, document);
      return [{ call: { method, path, request, response: responseOf(operation, document, '2') }, operation, words }];
    }),
  );

const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word);

interface Wanted {
  /** The most likely one first. */
  readonly methods: readonly DescribedCall['method'][];
  readonly things: readonly string[];
  readonly actions: readonly string[];
  /** Words that rule it out. */
  readonly not: readonly string[];
}
const words = (text: string): readonly string[] => text.split(' ');
const THINGS = words('shipment parcel consignment order package label delivery booking waybill');
const CREATE: Wanted = {
  methods: ['post', 'put'],
  things: THINGS,
  actions: words('create new book add register place'),
  not: words(
    'cancel void track tracking rate quote price token auth login webhook pickup validate search manifest return',
  ),
};
const CANCEL: Wanted = {
  methods: ['delete', 'post', 'put'],
  things: THINGS,
  actions: words('cancel void delete remove'),
  not: words('webhook pickup token'),
};
const TRACK: Wanted = {
  methods: ['get', 'post'],
  things: [...THINGS, 'event', 'status'],
  actions: words('track tracking trace event statuse status history'),
  not: words('webhook health rate'),
};

const best = (calls: readonly Found[], { methods, things, actions, not }: Wanted): Found | undefined => {
  const [usual] = methods;
  const points = ({ call, words: own }: Found): number => {
    const has = (some: readonly string[]): boolean => some.some((word) => own.has(word));
    if (!methods.includes(call.method) || has(not)) return 0;
    const acts = has(actions) || (usual === 'delete' && call.method === 'delete');
    if (usual !== 'post') return acts && (has(things) || usual === 'get') ? (call.method === usual ? 3 : 2) : 0;
    if (!has(things) || call.request === undefined) return 0;
    return (acts ? 3 : 2) - (call.path.includes('{') ? 1 : 0);
  };
  return calls
    .map((found) => ({ found, at: points(found) }))
    .filter(({ at }) => at > 0)
    .sort((one, other) => other.at - one.at)[0]?.found;
};

// Bodies -------------------------------------------------------------------------------------------------------------

const resolved = (value: unknown, document: Fields): Fields => mapOf(wholeSchema(document, value));

const requestOf = (operation: Fields, document: Fields): BodyShape | undefined => {
  const parameters = listOf(operation['parameters']).map((one) => resolved(one, document));
  const inBody = parameters.find((one) => valueAt(one, 'in') === 'body');
  return shapeIn(operation['requestBody'] ?? inBody, document);
};

const responseOf = (operation: Fields, document: Fields, status: string): BodyShape | undefined => {
  const [, response] = Object.entries(mapOf(operation['responses'])).find(([key]) => key.startsWith(status)) ?? [];
  return shapeIn(response, document);
};

/** The shape of what holds a schema: right there in Swagger 2.0, by media types in OpenAPI. */
const shapeIn = (held: unknown, document: Fields): BodyShape | undefined => {
  const holder = resolved(held, document);
  const [, content] = Object.entries(mapOf(holder['content'])).find(([type]) => /json|xml|form/.test(type)) ?? [];
  const { schema, example, examples } = holder['schema'] === undefined ? mapOf(content) : { schema: holder['schema'] };
  const [named] = Object.values(mapOf(examples));
  return schema === undefined ? undefined : shapeOf(schema, document, example ?? valueAt(named, 'value'), 0);
};

const shapeOf = (given: unknown, document: Fields, example: unknown, depth: number): BodyShape => {
  const schema = withChoice(given, document);
  const shown = example ?? schema['example'] ?? schema['default'] ?? listOf(schema['examples'])[0];
  const type = [schema['type']].flat().find((one) => one !== 'null');
  const inner = (held: unknown, sample: unknown): BodyShape =>
    depth > DEPTH_MAX ? TEXT_SHAPE : shapeOf(held, document, sample, depth + 1);
  if (type === 'array' || schema['items'] !== undefined) {
    return { kind: 'list', of: inner(schema['items'], listOf(shown)[0]) };
  }
  if (isMap(schema['properties'])) {
    const required = listOf(schema['required']);
    const fields = Object.entries(schema['properties']).map(([name, held]): ShapeField => ({
      name,
      required: required.includes(name),
      shape: inner(held, valueAt(shown, name)),
    }));
    return { kind: 'map', fields };
  }
  return type === 'object' ? { kind: 'map', fields: [] } : scalarOf(schema, type, shown);
};

const scalarOf = (schema: Fields, type: unknown, shown: unknown): Scalar => {
  const oneOf = listOf(schema['enum']).filter(isScalar);
  return {
    kind: 'scalar',
    type: type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'boolean' : 'text',
    ...(isScalar(shown) ? { example: shown } : {}),
    ...(oneOf.length === 0 ? {} : { oneOf }),
    ...(typeof schema['description'] === 'string' ? { description: schema['description'].slice(0, 200) } : {}),
    ...(typeof schema['maxLength'] === 'number' ? { maxLength: schema['maxLength'] } : {}),
  };
};

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Of `oneOf` and `anyOf` the first is taken. */
const withChoice = (given: unknown, document: Fields, depth = 0): Fields => {
  const schema = resolved(given, document);
  const [choice] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  return choice === undefined || depth > DEPTH_MAX
    ? schema
    : resolved({ allOf: [withChoice(choice, document, depth + 1), schema] }, document);
};

// Where, and how to authenticate -------------------------------------------------------------------------------------

const serversOf = (document: Fields): Pick<FromDocument, 'url' | 'sandboxUrl'> => {
  const host = textOf(document['host']);
  const swagger = host === undefined ? [] : [{ url: `https://${host}${textOf(document['basePath']) ?? ''}` }];
  const urls = [...listOf(document['servers']), ...swagger].flatMap((server) => {
    const url = (textOf(valueAt(server, 'url')) ?? '').replaceAll(/\/+$/g, '');
    const isTest = /sandbox|test|stag|demo|uat/i.test(`${url} ${textOf(valueAt(server, 'description')) ?? ''}`);
    return /^https?:\/\/[^{}]+$/.test(url) ? [{ url, isTest }] : [];
  });
  const real = urls.find(({ isTest }) => !isTest) ?? urls[0];
  const test = urls.find(({ isTest }) => isTest);
  return {
    ...(real === undefined ? {} : { url: real.url }),
    ...(test === undefined || test === real ? {} : { sandboxUrl: test.url }),
  };
};

const as = (auth: AuthKind): { auth: AuthKind } => ({ auth });

const authOf = (document: Fields): Partial<Pick<Described, 'auth' | 'authHeader' | 'tokenUrl'>> => {
  const schemes = valueAt(document, 'components', 'securitySchemes') ?? document['securityDefinitions'];
  const [first] = Object.values(mapOf(schemes));
  const scheme = resolved(first, document);
  switch (scheme['type']) {
    case 'basic':
      return as('basic');
    case 'http':
      return as(scheme['scheme'] === 'basic' ? 'basic' : 'bearer');
    case 'apiKey': {
      const name = textOf(scheme['name']);
      return scheme['in'] === 'header' && name !== undefined ? { ...as('apiKey'), authHeader: name } : {};
    }
    case 'oauth2': {
      const flow = isMap(scheme['flows']) ? scheme['flows']['clientCredentials'] : scheme;
      const tokenUrl = textOf(valueAt(flow, 'tokenUrl'));
      return { ...as('oauth2'), ...(tokenUrl === undefined ? {} : { tokenUrl }) };
    }
    default:
      return {};
  }
};

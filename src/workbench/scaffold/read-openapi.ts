/** Reads what matters of an OpenAPI document (3.x, or Swagger 2.0): how to create, cancel and track, and with what proof. */
import { isMap } from '../../engine/value.ts';
import { Failure } from '../../engine/failure.ts';
import { type AuthKind, type Call, type Described, findEvents } from './describe.ts';
import { type Field, type Shape, wordsOf } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 12;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export type FromDocument = Partial<Omit<Described, 'code' | 'format'>> & Pick<Described, 'create' | 'statuses'>;

/** Throws a `Failure` when it is no OpenAPI document, or nothing in it looks like an order for a carrier. */
export const readOpenApi = (document: unknown): FromDocument => {
  if (!isMap(document) || !isMap(document['paths'])) {
    throw new Failure('this is no OpenAPI document: it has no paths', { code: 'openapi_unreadable' });
  }
  const calls = callsOf(document);
  const create = best(calls, ['post', 'put'], CREATE);
  if (create === undefined) {
    throw new Failure('no call of this document looks like the order of a shipment', {
      code: 'openapi_without_create',
    });
  }
  const track = best(calls, ['get', 'post'], TRACK);
  const cancel = best(calls, ['delete', 'post', 'put'], CANCEL);
  const info = isMap(document['info']) ? document['info'] : {};
  const events = findEvents(track?.call.response);
  return {
    ...(typeof info['title'] === 'string' ? { name: info['title'].slice(0, 80) } : {}),
    ...serversOf(document),
    ...authOf(document),
    create: create.call,
    cancel: cancel?.call,
    track: track?.call,
    error: errorOf(create.operation, document),
    statuses: events === undefined ? [] : (events.code.shape.oneOf ?? []).map(String),
  };
};

interface Found {
  readonly call: Call;
  readonly operation: Fields;
  /** Words of path, id, summary and tags. */
  readonly words: ReadonlySet<string>;
}

const callsOf = (document: Fields): readonly Found[] =>
  Object.entries(document['paths'] as Fields).flatMap(([path, item]) =>
    METHODS.flatMap((method): Found[] => {
      const operation = isMap(item) ? item[method] : undefined;
      if (!isMap(operation)) return [];
      const told = [path, operation['operationId'], operation['summary'], ...[operation['tags'] ?? []].flat()];
      const words = new Set(told.flatMap((text) => (typeof text === 'string' ? wordsOf(text) : [])).map(singular));
      return [
        {
          call: {
            method,
            path,
            request: requestOf(operation, document),
            response: responseOf(operation, document, '2'),
          },
          operation,
          words,
        },
      ];
    }),
  );

const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word);

/** Words that speak for a call, and against it. */
interface Wanted {
  readonly things: readonly string[];
  readonly deeds: readonly string[];
  readonly not: readonly string[];
}
const THINGS = ['shipment', 'parcel', 'consignment', 'order', 'package', 'label', 'delivery', 'booking', 'waybill'];
const CREATE: Wanted = {
  things: THINGS,
  deeds: ['create', 'new', 'book', 'add', 'register', 'place'],
  not: [
    'cancel',
    'void',
    'track',
    'tracking',
    'rate',
    'quote',
    'price',
    'token',
    'auth',
    'login',
    'webhook',
    'pickup',
    'validate',
    'search',
    'manifest',
    'return',
  ],
};
const CANCEL: Wanted = {
  things: THINGS,
  deeds: ['cancel', 'void', 'delete', 'remove'],
  not: ['webhook', 'pickup', 'token'],
};
const TRACK: Wanted = {
  things: [...THINGS, 'event', 'status'],
  deeds: ['track', 'tracking', 'trace', 'event', 'statuse', 'status', 'history'],
  not: ['webhook', 'health', 'rate'],
};

const best = (
  calls: readonly Found[],
  methods: readonly Call['method'][],
  { things, deeds, not }: Wanted,
): Found | undefined => {
  const points = ({ call, words }: Found): number => {
    if (!methods.includes(call.method) || not.some((word) => words.has(word))) return 0;
    const isThing = things.some((word) => words.has(word));
    const isDeed = deeds.some((word) => words.has(word)) || (methods[0] === 'delete' && call.method === 'delete');
    if (methods[0] === 'post')
      return isThing && call.request !== undefined ? (isDeed ? 3 : 2) + (call.path.includes('{') ? -1 : 0) : 0;
    return isDeed && (isThing || methods[0] === 'get') ? 2 + (call.method === methods[0] ? 1 : 0) : 0;
  };
  return calls
    .map((found) => ({ found, at: points(found) }))
    .filter(({ at }) => at > 0)
    .sort((one, other) => other.at - one.at)[0]?.found;
};

// Bodies -------------------------------------------------------------------------------------------------------------

const contentOf = (
  held: unknown,
  document: Fields,
): { readonly schema: unknown; readonly example: unknown } | undefined => {
  const holder = resolved(held, document);
  if (!isMap(holder)) return undefined;
  // Swagger 2.0 has the schema right there.
  if (holder['schema'] !== undefined) return { schema: holder['schema'], example: undefined };
  const content = isMap(holder['content']) ? holder['content'] : {};
  const [, media] = Object.entries(content).find(([type]) => /json|xml|form/.test(type)) ?? [];
  if (!isMap(media)) return undefined;
  const [named] = isMap(media['examples']) ? Object.values(media['examples']) : [];
  const example = media['example'] ?? (isMap(named) ? named['value'] : undefined);
  return { schema: media['schema'], example };
};

const requestOf = (operation: Fields, document: Fields): Shape | undefined => {
  const parameters = Array.isArray(operation['parameters']) ? (operation['parameters'] as readonly unknown[]) : [];
  const inBody = parameters.map((one) => resolved(one, document)).find((one) => isMap(one) && one['in'] === 'body');
  return shapeIn(contentOf(operation['requestBody'] ?? inBody, document), document);
};

const responseOf = (operation: Fields, document: Fields, status: string): Shape | undefined => {
  const responses = isMap(operation['responses']) ? operation['responses'] : {};
  const [, response] = Object.entries(responses).find(([key]) => key.startsWith(status)) ?? [];
  return shapeIn(contentOf(response, document), document);
};

const errorOf = (operation: Fields, document: Fields): Shape | undefined => responseOf(operation, document, '4');

const shapeIn = (content: ReturnType<typeof contentOf>, document: Fields): Shape | undefined =>
  content?.schema === undefined ? undefined : shapeOf(content.schema, document, content.example, 0);

const resolved = (value: unknown, document: Fields, deep = 0): unknown => {
  const ref = isMap(value) ? value['$ref'] : undefined;
  if (typeof ref !== 'string') return value;
  if (!ref.startsWith('#/') || deep > DEPTH_MAX) return undefined;
  const target = ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((held, part) => (isMap(held) && Object.hasOwn(held, part) ? held[part] : undefined), document);
  return resolved(target, document, deep + 1);
};

const shapeOf = (given: unknown, document: Fields, example: unknown, deep: number): Shape => {
  const schema = merged(resolved(given, document), document);
  const shown =
    example ??
    schema['example'] ??
    schema['default'] ??
    (Array.isArray(schema['examples']) ? (schema['examples'] as unknown[])[0] : undefined);
  const type = [schema['type']].flat().find((one) => one !== 'null');
  if (type === 'array' || schema['items'] !== undefined) {
    const first = Array.isArray(shown) ? (shown as unknown[])[0] : undefined;
    return {
      kind: 'list',
      of: deep > DEPTH_MAX ? { kind: 'scalar', type: 'text' } : shapeOf(schema['items'], document, first, deep + 1),
    };
  }
  if (isMap(schema['properties'])) {
    const required = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
    const fields = Object.entries(schema['properties']).map(([name, inner]): Field => ({
      name,
      required: required.includes(name),
      shape:
        deep > DEPTH_MAX
          ? { kind: 'scalar', type: 'text' }
          : shapeOf(inner, document, isMap(shown) ? shown[name] : undefined, deep + 1),
    }));
    return { kind: 'map', fields };
  }
  if (type === 'object') return { kind: 'map', fields: [] };
  const oneOf = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]).filter(isScalar) : undefined;
  return {
    kind: 'scalar',
    type: type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'boolean' : 'text',
    ...(isScalar(shown) ? { example: shown } : {}),
    ...(oneOf === undefined || oneOf.length === 0 ? {} : { oneOf }),
    ...(typeof schema['description'] === 'string' ? { description: schema['description'].slice(0, 200) } : {}),
    ...(typeof schema['maxLength'] === 'number' ? { maxLength: schema['maxLength'] } : {}),
  };
};

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** `allOf` is one schema; of `oneOf` and `anyOf` the first is taken. */
const merged = (schema: unknown, document: Fields, deep = 0): Fields => {
  if (!isMap(schema) || deep > DEPTH_MAX) return {};
  const [choice] = [schema['oneOf'], schema['anyOf']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const parts = [
    ...(Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : []),
    ...(choice === undefined ? [] : [choice]),
  ].map((part) => merged(resolved(part, document), document, deep + 1));
  if (parts.length === 0) return schema;
  const all = [...parts, schema];
  const properties = Object.assign({}, ...all.map((part) => part['properties'] ?? {})) as Fields;
  const required = all.flatMap((part) => (Array.isArray(part['required']) ? (part['required'] as unknown[]) : []));
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    required,
  } as Fields;
};

// Where, and with what proof -----------------------------------------------------------------------------------------

const serversOf = (document: Fields): Pick<FromDocument, 'url' | 'sandboxUrl'> => {
  const servers = (Array.isArray(document['servers']) ? (document['servers'] as unknown[]) : []).filter(isMap);
  const swagger =
    typeof document['host'] === 'string'
      ? [{ url: `https://${document['host']}${typeof document['basePath'] === 'string' ? document['basePath'] : ''}` }]
      : [];
  const urls = [...servers, ...swagger].flatMap((server: Fields) => {
    const url = typeof server['url'] === 'string' ? server['url'].replaceAll(/\/+$/g, '') : '';
    const isTest = /sandbox|test|stag|demo|uat/i.test(
      `${url} ${typeof server['description'] === 'string' ? server['description'] : ''}`,
    );
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
  const components = isMap(document['components']) ? document['components'] : {};
  const schemes = components['securitySchemes'] ?? document['securityDefinitions'];
  const [scheme] = isMap(schemes)
    ? Object.values(schemes)
        .map((one) => resolved(one, document))
        .filter(isMap)
    : [];
  if (scheme === undefined) return {};
  if (scheme['type'] === 'basic' || (scheme['type'] === 'http' && scheme['scheme'] === 'basic')) return as('basic');
  if (scheme['type'] === 'http') return as('bearer');
  if (scheme['type'] === 'apiKey' && scheme['in'] === 'header' && typeof scheme['name'] === 'string')
    return { ...as('apiKey'), authHeader: scheme['name'] };
  if (scheme['type'] !== 'oauth2') return {};
  const flows = isMap(scheme['flows']) ? scheme['flows'] : { clientCredentials: scheme };
  const flow = flows['clientCredentials'];
  const tokenUrl = isMap(flow) ? flow['tokenUrl'] : undefined;
  return { ...as('oauth2'), ...(typeof tokenUrl === 'string' ? { tokenUrl } : {}) };
};

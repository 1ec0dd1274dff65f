/** What samples of a carrier's requests and answers show, by the names of their files: `create.request.json`. */
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { Failure } from '../../engine/failure.ts';
import { type Call, type Described, type Format, findEvents } from './describe.ts';
import { leavesOf, type Shape, shapeOfSample, wordsOf } from './shape.ts';

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
}

export type FromSamples = Pick<Described, 'create' | 'statuses'> &
  Partial<Pick<Described, 'cancel' | 'track' | 'error' | 'format'>>;

const WORDS = {
  create: ['create', 'order', 'shipment', 'shipments', 'parcel', 'book', 'booking', 'label', 'ship'],
  track: ['track', 'tracking', 'event', 'events', 'status', 'statuses'],
  cancel: ['cancel', 'void', 'delete'],
  error: ['error', 'rejected', 'fault', 'invalid', 'refused'],
  request: ['request', 'req'],
} as const;

type Kind = Exclude<keyof typeof WORDS, 'request'>;
const has = (words: readonly string[], kind: keyof typeof WORDS): boolean =>
  WORDS[kind].some((word) => words.includes(word));

const shape = (found: { readonly value: unknown } | undefined): Shape | undefined =>
  found === undefined ? undefined : shapeOfSample(found.value);

const call = (method: Call['method'], path: string, request: Shape | undefined, response: Shape | undefined): Call => ({
  method,
  path,
  request,
  response,
});

/** Throws a `Failure` when no sample shows what a create sends. */
export const readSamples = (samples: readonly Sample[]): FromSamples => {
  const read = samples.flatMap((sample) => {
    const format = /\.json$/i.test(sample.name) ? 'json' : /\.xml$/i.test(sample.name) ? 'xml' : undefined;
    return format === undefined
      ? []
      : ([{ words: wordsOf(sample.name.replace(/\.\w+$/, '')), format, value: valueOf(sample, format) }] as const);
  });
  const find = (kind: Kind, isRequest: boolean) =>
    read.find(
      ({ words }) =>
        has(words, kind) &&
        has(words, 'request') === isRequest &&
        (kind === 'error' || !has(words, 'error')) &&
        (kind !== 'create' || (!has(words, 'track') && !has(words, 'cancel'))),
    );
  const sent =
    find('create', true) ??
    read.find(({ words }) => has(words, 'request') && !has(words, 'cancel') && !has(words, 'track'));
  if (sent === undefined) {
    throw new Failure('no sample shows a create: name one create.request.json or create.request.xml', {
      code: 'samples_without_create',
    });
  }
  const track = find('track', false);
  const cancel = find('cancel', true) ?? find('cancel', false);
  const tracked = shape(track);
  return {
    format: sent.format satisfies Format,
    create: call(
      'post',
      '/shipments',
      shape(sent),
      shape(find('create', false) ?? read.find(({ words }) => words.includes('response') && !has(words, 'error'))),
    ),
    ...(cancel === undefined ? {} : { cancel: call('delete', '/shipments/{trackingNumber}', undefined, undefined) }),
    ...(tracked === undefined ? {} : { track: call('get', '/tracking/{trackingNumber}', undefined, tracked) }),
    error: shape(find('error', false)),
    statuses: statusesIn(track?.value, tracked),
  };
};

const valueOf = ({ name, bytes }: Sample, format: 'json' | 'xml'): unknown => {
  const decoded = decoderNamed(format).decode(bytes);
  if (decoded.ok) return decoded.body;
  throw new Failure(`${name} cannot be read: ${decoded.reason.message}`, { code: 'sample_unreadable' });
};

/** Every code that a tracking sample has. */
const statusesIn = (value: unknown, shape: Shape | undefined): string[] => {
  const path = findEvents(shape)?.code.path ?? [];
  const walk = (held: unknown, rest: readonly string[]): unknown[] => {
    if (Array.isArray(held)) return held.flatMap((one: unknown) => walk(one, rest));
    const [name, ...more] = rest;
    if (name === undefined) return [held];
    return typeof held === 'object' && held !== null
      ? walk((held as Record<string, unknown>)[name.replace('[]', '')], more)
      : [];
  };
  if (shape === undefined || leavesOf(shape).length === 0 || path.length === 0) return [];
  return [
    ...new Set(
      walk(value, path)
        .filter((one) => typeof one === 'string' || typeof one === 'number')
        .map(String),
    ),
  ];
};

/** What samples of a carrier's requests and answers show, by the names of their files: `create.request.json`. */
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { Failure } from '../../engine/failure.ts';
import { valueAt } from '../../engine/value.ts';
import { type Described, findEvents } from './describe.ts';
import { type BodyShape, shapeOfSample, wordsIn } from './shape.ts';

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
}

export type FromSamples = Pick<Described, 'create' | 'statuses'> &
  Partial<Pick<Described, 'cancel' | 'track' | 'error' | 'format'>>;

const WORDS = {
  create: /^(?:create|order|shipments?|parcel|book|booking|label|ship)$/,
  track: /^(?:track|tracking|events?|status|statuses)$/,
  cancel: /^(?:cancel|void|delete)$/,
  error: /^(?:error|rejected|fault|invalid|refused)$/,
  request: /^(?:request|req)$/,
  response: /^response$/,
} as const;

type Read = ReturnType<typeof readSample>[number];

const isOther = ({ is }: Read): boolean => is('track') || is('cancel');

const created = (among: readonly Read[]): Read | undefined => among.find((one) => one.is('create') && !isOther(one));

/** Throws a `Failure` when no sample shows what a create sends. */
export const readSamples = (samples: readonly Sample[]): FromSamples => {
  const read = samples.flatMap(readSample);
  const requests = read.filter(({ is }) => is('request'));
  const responses = read.filter(({ is }) => !is('request') && !is('error'));
  const sent = created(requests.filter(({ is }) => !is('error'))) ?? requests.find((one) => !isOther(one));
  if (sent === undefined) {
    throw new Failure('no sample shows a create: name one create.request.json or create.request.xml', {
      code: 'samples_without_create',
    });
  }
  const answered = created(responses) ?? read.find(({ is }) => is('response') && !is('error'));
  const track = responses.find(({ is }) => is('track'));
  const tracked = track && shapeOfSample(track.value);
  const error = read.find(({ is }) => is('error') && !is('request'));
  const isCancelled = read.some(({ is }) => is('cancel') && !is('error'));
  const byNumber = { request: undefined, response: tracked };
  return {
    format: sent.format,
    create: {
      method: 'post',
      path: '/shipments',
      request: shapeOfSample(sent.value),
      response: answered && shapeOfSample(answered.value),
    },
    ...(isCancelled
      ? { cancel: { ...byNumber, response: undefined, method: 'delete', path: '/shipments/{trackingNumber}' } }
      : {}),
    ...(tracked === undefined ? {} : { track: { ...byNumber, method: 'get', path: '/tracking/{trackingNumber}' } }),
    error: error && shapeOfSample(error.value),
    statuses: statusesIn(track?.value, tracked),
  };
};

const readSample = ({ name, bytes }: Sample) => {
  const format = /\.json$/i.test(name) ? 'json' : /\.xml$/i.test(name) ? 'xml' : undefined;
  if (format === undefined) return [];
  const decoded = decoderNamed(format).decode(bytes);
  if (!decoded.ok) {
    throw new Failure(`${name} cannot be read: ${decoded.reason.message}`, { code: 'sample_unreadable' });
  }
  const words = wordsIn(name.replace(/\.\w+$/, ''));
  // `is`: the file's name says so.
  const is = (kind: keyof typeof WORDS): boolean => words.some((word) => WORDS[kind].test(word));
  return [{ format, value: decoded.body, is } as const];
};

const statusesIn = (value: unknown, shape: BodyShape | undefined): string[] => {
  const path = findEvents(shape)?.code.path ?? [];
  const walk = (held: unknown, [name, ...rest]: readonly string[]): unknown[] => {
    if (Array.isArray(held))
      return held.flatMap((one: unknown) => walk(one, name === undefined ? [] : [name, ...rest]));
    return name === undefined ? [held] : walk(valueAt(held, name.replace('[]', '')), rest);
  };
  const found = path.length === 0 ? [] : walk(value, path);
  return [...new Set(found.filter((one) => typeof one === 'string' || typeof one === 'number').map(String))];
};

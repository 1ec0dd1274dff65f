/** Requests as the simulator compares them. */
import { collectRepeats } from '../../engine/codecs/codec.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { contentTypeOf } from '../cases/requests.ts';
import { type Document, leavesOf, readDocument, textOf } from './document.ts';

export interface SceneRequest {
  readonly method: string;
  /** What follows the environment's URL, or `/~/host/path` of another host; the query is not part of it. */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Document;
}

export const isSame = (one: SceneRequest, other: SceneRequest): boolean =>
  one.method === other.method &&
  textOf([one.segments, one.query, one.body.tree]) === textOf([other.segments, other.query, other.body.tree]);

/** Its texts, and those that a text lists. */
export const wordsOf = ({ segments, query, body }: SceneRequest): readonly string[] => {
  const texts = leavesOf([segments, query, body.tree]).map(({ text }) => text);
  return [...new Set(texts.flatMap((text) => [text, ...text.split(/[,;\s"]+/)]))];
};

/** `urls`: of the environment, one of which its path follows. */
export const requestOf = (
  { method, url, headers, body }: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
  urls: readonly string[],
): SceneRequest => {
  const { origin, host, pathname, searchParams } = new URL(url);
  const whole = `${origin}${pathname}`;
  const base = urls
    .filter((one) => whole === one || whole.startsWith(`${one}/`))
    .toSorted((a, b) => b.length - a.length);
  const path = base[0] === undefined ? `/~/${host}${pathname}` : whole.slice(base[0].length);
  return {
    method,
    segments: segmentsOf(path),
    query: collectRepeats(searchParams),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: readDocument(body, contentTypeOf(headers)),
  };
};

export const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });

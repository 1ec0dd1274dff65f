/** Requests as the simulator compares them. */
import { collectRepeats } from '../../engine/codecs/codec.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { lowerCaseNames } from '../../engine/dispatch/scope.ts';
import { segmentsOf } from '../cases/requests.ts';
import { leavesOf, readDocument, textOf } from './document.ts';

interface AskedRequest {
  readonly method: string;
  /** What follows the environment's URL, or `/~/host/path` of another host; the query is not part of it. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A request as it is compared with others: by what is `said` in it. */
export const sceneRequest = ({ method, path, query: parameters, headers, body: bytes }: AskedRequest) => {
  const [segments, query] = [segmentsOf(path), collectRepeats(parameters)];
  const body = readDocument(bytes, headers['content-type']);
  const said = { segments: Object.fromEntries(segments.entries()), query, body: body.tree };
  return { method, segments, query, headers, body, bytes, said };
};
export type SceneRequest = ReturnType<typeof sceneRequest>;

export const isSame = (one: SceneRequest, other: SceneRequest): boolean =>
  one.method === other.method && textOf(one.said) === textOf(other.said);

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** What it says, but for an id that is another one with each request. */
export const saidBy = ({ method, said }: SceneRequest): string => `${method} ${textOf(said).replaceAll(UUID, '')}`;

/** Its texts, and those that a text lists. */
export const wordsOf = ({ said }: SceneRequest): readonly string[] => {
  const texts = leavesOf(said).map(({ text }) => text);
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
  return sceneRequest({ method, path, query: searchParams, headers: lowerCaseNames(headers), body });
};

/** What a request says, value by value: so that scenarios need not know any carrier's format. */
import { decoderNamed } from '../../../engine/codecs/codecs.ts';
import { codecOf } from '../../../engine/codecs/media-type.ts';
import type { WireRequest } from '../../../engine/transport/wire.ts';

/** The values of requests by their paths: of the URL, the headers and the bodies. */
export type Leaves = ReadonlyMap<string, string>;

export const leavesOf = (requests: readonly WireRequest[]): Leaves => {
  const leaves = new Map<string, string>();
  for (const [at, request] of requests.entries()) {
    leaves.set(`${at} url`, request.url);
    collect(bodyOf(request), `${at} body`, leaves);
  }
  return leaves;
};

const bodyOf = ({ headers, body }: WireRequest): unknown => {
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body);
  const contentType = contentTypeOf(headers);
  const decoded = decoderNamed(codecOf(contentType) ?? 'text').decode(bytes, { contentType });
  return decoded.ok ? decoded.body : bytes.toString('utf8');
};

export const contentTypeOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];

const collect = (value: unknown, path: string, leaves: Map<string, string>): void => {
  if (value === undefined || value === null) return;
  if (value instanceof Uint8Array) leaves.set(path, Buffer.from(value).toString('latin1'));
  else if (typeof value === 'object') {
    for (const [key, held] of Object.entries(value)) collect(held, `${path}/${key}`, leaves);
  } else leaves.set(path, `${value as string | number | boolean}`);
};

/** The same request: what proves us may differ. */
export const isSameRequest = (one: WireRequest | undefined, other: WireRequest | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.method === other.method &&
  one.url === other.url &&
  Buffer.from(one.body ?? []).equals(Buffer.from(other.body ?? []));

export const areSame = (one: Leaves, other: Leaves): boolean =>
  one.size === other.size && [...one].every(([path, value]) => other.get(path) === value);

/** A number, however it is written: also inside a text such as `10.50 EUR`. */
export const numberOf = (text: string): number | undefined => {
  const [, written] = /^\s*(-?\d+(?:\.\d+)?)\s*[A-Za-z]{0,4}\s*$/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
};

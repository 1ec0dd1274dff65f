/** What a request says, value by value: so that scenarios need not know any carrier's format. */
import type { WireRequest } from '../../../engine/transport/wire.ts';
import { decodedBody } from '../requests.ts';

/** The values of requests by their paths: of the URLs and the bodies. */
export type Values = ReadonlyMap<string, string>;

export const valuesOf = (requests: readonly WireRequest[]): Values => {
  const values = new Map<string, string>();
  for (const [at, request] of requests.entries()) {
    values.set(`${at} url`, request.url);
    collect(decodedBody(request), `${at} body`, values);
  }
  return values;
};

const collect = (value: unknown, path: string, values: Map<string, string>): void => {
  if (value === undefined || value === null) return;
  if (value instanceof Uint8Array) values.set(path, Buffer.from(value).toString('latin1'));
  else if (typeof value === 'object') {
    for (const [key, held] of Object.entries(value)) collect(held, `${path}/${key}`, values);
  } else values.set(path, `${value as string | number | boolean}`);
};

/** The same request; its authentication may differ. */
export const isSameRequest = (one: WireRequest | undefined, other: WireRequest | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.method === other.method &&
  one.url === other.url &&
  Buffer.from(one.body ?? []).equals(Buffer.from(other.body ?? []));

export const sayTheSame = (one: readonly WireRequest[], other: readonly WireRequest[]): boolean => {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  return values.size === others.size && [...values].every(([path, value]) => others.get(path) === value);
};

/** A number, however it is written: also inside a text such as `10.50 EUR`. */
export const numberIn = (text: string): number | undefined => {
  const [, written] = /^\s*(-?\d+(?:\.\d+)?)\s*[A-Za-z]{0,4}\s*$/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
};

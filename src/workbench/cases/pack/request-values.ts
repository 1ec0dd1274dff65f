/** What a request says, value by value: so that scenarios need not know any carrier's format. */
import type { WireRequest } from '../../../engine/transport/wire.ts';
import { innerValue } from '../inner-text.ts';
import { decodedBody } from '../requests.ts';

/** The values of requests by their paths: of the URLs and the bodies, and of what is written in texts of these. */
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
  if (value === undefined) return;
  const held = typeof value === 'string' ? (innerValue(value) ?? value) : value;
  if (held instanceof Uint8Array) values.set(path, Buffer.from(held).toString('latin1'));
  else if (typeof held === 'object' && held !== null) {
    for (const [key, inner] of Object.entries(held)) collect(inner, `${path}/${key}`, values);
  } else values.set(path, `${held as string | number | boolean | null}`);
};

/** The same request; its authentication may differ. */
export const isSameRequest = (one: WireRequest | undefined, other: WireRequest | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.method === other.method &&
  one.url === other.url &&
  Buffer.from(one.body ?? []).equals(Buffer.from(other.body ?? []));

/** Requests without their URLs where they have bodies: a path may tell what an order is, but not for whom it is. */
export const bodiesOf = (requests: readonly WireRequest[]): Values => {
  const values = [...valuesOf(requests)];
  const inBodies = values.filter(([path]) => !path.endsWith(' url'));
  return new Map(inBodies.length > 0 ? inBodies : values);
};

export const sayTheSame = (values: Values, others: Values): boolean =>
  values.size === others.size && [...values].every(([path, value]) => others.get(path) === value);

/** A number, however it is written: also inside a text such as `10.50 EUR`. */
export const numberIn = (text: string): number | undefined => {
  const [, written] = /^\s*(-?\d+(?:\.\d+)?)\s*[A-Za-z]{0,4}\s*$/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
};

// Small makers of answers and readers of requests, for every carrier.
import { timingSafeEqual } from 'node:crypto';
import type { CarrierRequest, CarrierResponse } from './carrier.ts';

export function json(status: number, value: unknown, headers: Record<string, string> = {}): CarrierResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function bytes(status: number, type: string, body: Buffer): CarrierResponse {
  return { status, headers: { 'content-type': type }, body };
}

export function empty(status: number): CarrierResponse {
  return { status, headers: {}, body: Buffer.alloc(0) };
}

/** The request's JSON, or undefined when it is not JSON. */
export function readJson(request: CarrierRequest): unknown {
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether the request says that its body is JSON. */
export function isJson(request: CarrierRequest): boolean {
  return /^application\/([a-z.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '');
}

/** A path's part decoded; as it is where the encoding is broken. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of names, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here: unknown = value;
  for (const name of path) {
    if (Array.isArray(here) && typeof name === 'number') here = here[name];
    else if (isObject(here) && Object.hasOwn(here, name)) here = here[name];
    else return undefined;
  }
  return here;
}

/** Text at a path; '' when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Compares a secret without telling by time how much of it was right. */
export function isSame(given: string | undefined, expected: string): boolean {
  const left = Buffer.from(given ?? '');
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}

export function hasBearer(request: CarrierRequest, token: string): boolean {
  return isSame(request.headers.authorization, `Bearer ${token}`);
}

export function hasBasic(request: CarrierRequest, username: string, password: string): boolean {
  return isSame(
    request.headers.authorization,
    `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`,
  );
}

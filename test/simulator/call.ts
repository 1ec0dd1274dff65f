// Calls a simulated carrier as the platform would, and reads the answer loosely, as tests do.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import { start } from '../../simulator/server.ts';
import type { Simulator, SimulatorOptions } from '../../simulator/simulator.ts';
import { type Element, inside, readXml } from '../../simulator/xml.ts';

/** Decoded JSON of whatever shape: the tests say what they expect of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The decoded JSON, or undefined. */
  readonly body: Loose;
  /** Of an XML answer; `payload` is what its SOAP body holds. */
  readonly root: Element | null;
  readonly payload: Element | undefined;
}

interface Request {
  /** Text goes as XML, a form as a form, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export async function call(method: string, url: string, { body, headers, signal }: Request = {}): Promise<Called> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method,
    headers: {
      ...(isForm ? {} : { 'content-type': typeof body === 'string' ? 'text/xml' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    redirect: 'manual',
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const root = text.startsWith('<') ? readXml(text) : null;
  const payload = inside(root, 'Body')?.children[0];
  return { status: response.status, headers: response.headers, bytes, text, body: parsed(text), root, payload };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const now = new Date('2026-05-01T08:00:00Z');

/** A body that the carrier's profile sends, by its cases: `fixtures/<carrier>/<name>.request.*`. */
export const requestText = (carrier: string, name: string, type: 'json' | 'xml' = 'xml'): string =>
  readFileSync(`${import.meta.dirname}/../../fixtures/${carrier}/${name}.request.${type}`, 'utf8');

/** The same of JSON, with other values at the top. */
export const order = (carrier: string, name = 'one-package', change: object = {}): Loose => ({
  ...(JSON.parse(requestText(carrier, name, 'json')) as object),
  ...change,
});

export const basic = (user: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** The form of an OAuth2 login. */
export const grant = (id: string, secret: string): URLSearchParams =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });

export interface Simulated {
  readonly simulator: Simulator;
  /** Sent with each request, until the test ends. */
  headers: Record<string, string>;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Called>;
  wait(ms: number): void;
  /** Closes it and starts another. */
  restart(options: SimulatorOptions): Promise<void>;
}

/** A simulator of its own for each test of a file, and a carrier to ask there: with these headers, or by this login. */
export function simulating(
  code: string,
  headers: Record<string, string> | ((carrier: Simulated) => Promise<Record<string, string>>) = {},
  options: SimulatorOptions = { carriers: [code] },
): Simulated {
  let [simulator, nowMs]: [Simulator | undefined, number] = [undefined, now.getTime()];
  const carrier: Simulated = {
    get simulator() {
      if (simulator === undefined) throw new Error('the simulator runs during tests only');
      return simulator;
    },
    headers: {},
    ask: async (method, path, body, own) => {
      const url = carrier.simulator.carriers[code]! + path;
      return await call(method, url, { body, headers: { ...carrier.headers, ...own } });
    },
    wait: (ms) => void (nowMs += ms),
    restart: async (others) => {
      await simulator?.close();
      simulator = await start({ now: () => new Date(nowMs), ...others });
    },
  };
  beforeEach(async () => {
    nowMs = now.getTime();
    await carrier.restart(options);
    carrier.headers = {};
    carrier.headers = typeof headers === 'function' ? await headers(carrier) : headers;
  });
  afterEach(async () => {
    await simulator?.close();
  });
  return carrier;
}

interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** The platform's side of a push: keeps what comes and answers 200. */
export const openReceiver = async () => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, received, [Symbol.asyncDispose]: close };
};

/** The clients that send a request: got for what profiles declare, Node's own for what is always the same. */
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import got, { type Response } from 'got';
import { ACCEPT_ENCODING } from './body.ts';
import { type Agents, followPromise } from './connections.ts';
import { followStages, named, type Stage } from './errors.ts';
import type { ClientCertificate, WireRequest } from './wire.ts';

interface Sending {
  readonly userAgent: string;
  readonly agents: Agents;
  readonly timeoutMs: number;
  /** For DNS, TCP and TLS. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
  readonly onStage: (stage: Stage) => void;
  /** Nothing more comes. May be called twice. */
  readonly onClosed: () => void;
}

/** An answer that has begun. */
interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

export interface Opened {
  readonly head: Promise<Head>;
  /** Ends the connection, unless the answer came whole. */
  readonly destroy: () => void;
}

/** Sends once: follows no redirect, tries nothing again, unpacks nothing. */
type Client = (url: URL, request: WireRequest, sending: Sending) => Opened;

const HEADERS_MAX_BYTES = 65_536;

const client = got.extend({
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  // We do it, within bounds.
  decompress: false,
  http2: false,
  maxHeaderSize: HEADERS_MAX_BYTES,
});

const headersOf = ({ headers, body }: WireRequest, userAgent: string): Record<string, string> => {
  const sent: Record<string, string> = { 'user-agent': userAgent, 'accept-encoding': ACCEPT_ENCODING };
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value;
  if (body !== undefined) sent['content-length'] = String(body.byteLength);
  return sent;
};

const keyOf = ({ key, passphrase }: ClientCertificate) => ({ key, ...(passphrase !== undefined && { passphrase }) });

/** Nobody asks for one; Node would hand the connection over, and nobody would close it. */
const refuseUpgrade = (sent: ClientRequest, fail: (error: Error) => void): void => {
  sent.once('upgrade', (_response, socket) => {
    socket.destroy();
    fail(Object.assign(new Error('The server changed the protocol unasked'), { code: 'ERR_UPGRADE_UNASKED' }));
  });
};

export const openByGot: Client = (url, request, { userAgent, agents, timeoutMs, connectMs, signal, ...told }) => {
  const { method, body, tls } = request;
  const stream = client.stream(url, {
    method,
    headers: headersOf(request, userAgent),
    allowGetBody: body !== undefined,
    timeout: { request: timeoutMs, lookup: connectMs, connect: connectMs, secureConnect: connectMs },
    agent: agents,
    ...(tls && { https: { certificate: tls.certificate, ...keyOf(tls) } }),
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  stream.on('request', (sent: ClientRequest) => {
    followStages(sent, url.protocol === 'https:', told.onStage);
    refuseUpgrade(sent, (error) => stream.destroy(error));
    followPromise(sent);
  });
  stream.once('response', ({ statusCode: status, headers }: Response) => resolve({ status, headers, body: stream }));
  stream.on('error', (error) => {
    told.onClosed();
    reject(error);
  });
  stream.once('close', told.onClosed);
  // As an option it would be copied, with the memory it lies in.
  if (body !== undefined || (method !== 'GET' && method !== 'HEAD')) stream.end(body);
  return { head: promise, destroy: () => stream.destroy() };
};

/** A quarter of got's cost. */
export const openPlainly: Client = (url, request, { userAgent, agents, timeoutMs, connectMs, signal, ...told }) => {
  const { method, body, tls } = request;
  const isSecure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  const sent = (isSecure ? https : http).request(url, {
    method,
    headers: headersOf(request, userAgent),
    agent: isSecure ? agents.https : agents.http,
    maxHeaderSize: HEADERS_MAX_BYTES,
    ...(tls && { cert: tls.certificate, ...keyOf(tls) }),
  });
  let response: IncomingMessage | undefined;
  let connecting: NodeJS.Timeout | undefined;
  const fail = (error: Error): void => {
    reject(error);
    (response ?? sent).destroy(error);
  };
  const late = (): void => fail(named('TimeoutError', `There was no whole answer in ${timeoutMs} ms`));
  const limit = setTimeout(late, timeoutMs);
  const closed = (): void => {
    clearTimeout(limit);
    clearTimeout(connecting);
    told.onClosed();
  };
  followStages(sent, isSecure, (stage) => {
    clearTimeout(connecting);
    if (stage === 'connecting') connecting = setTimeout(late, connectMs);
    told.onStage(stage);
  });
  refuseUpgrade(sent, fail);
  followPromise(sent);
  sent.on('error', reject);
  sent.once('close', closed);
  sent.once('response', (given) => {
    response = given.on('error', reject);
    resolve({ status: given.statusCode ?? 0, headers: given.headers, body: given });
  });
  signal.addEventListener('abort', () => fail(named('AbortError', 'The request was called off')), { once: true });
  sent.end(body);
  return { head: promise, destroy: () => sent.destroy() };
};

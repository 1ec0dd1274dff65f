/** Carriers and subscribers, in a process whose work is not counted: answers creates, counts webhooks. */
import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answering } from './machine.ts';
import type { ShipRequest } from './traffic.ts';

/** What changes from then on. */
export interface TestInstructions {
  /** The carrier that answers late; '' ends it, and answers what waits. */
  readonly slow?: string;
  /** From now on, when the last webhook of each consignment came is kept. */
  readonly tracks?: true;
}

/** How many webhooks came so far. */
export interface Counted {
  readonly port: number;
  readonly webhooks: number;
  /** By reference, as `Date.now()`. */
  readonly arrivals: Readonly<Record<string, number>> | undefined;
}

/** Longer than most would wait. */
const SLOW_MS = 20_000;

let webhooks = 0;
let slow = '';
let ending = new AbortController();
let arrivals: Record<string, number> | undefined;

const answerTo = (url: string, body: string): object => {
  if (url.startsWith('/hook')) {
    webhooks += 1;
    if (arrivals !== undefined) arrivals[/"referenceNumber":"([^"]*)"/.exec(body)?.[1] ?? ''] = Date.now();
    return {};
  }
  const { customerReferences, content } = JSON.parse(body) as ShipRequest;
  const reference = customerReferences[0]?.value ?? '';
  return {
    shipment: reference,
    packages: content.packages.map(({ reference: item }) => ({ item, trackingNumber: `T-${reference}-${item}` })),
  };
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const url = request.url ?? '';
    const text = JSON.stringify(answerTo(url, Buffer.concat(chunks).toString()));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const answer = (): void => void response.writeHead(200, headers).end(text);
    if (slow === '' || !url.startsWith(`/${slow}/`)) answer();
    else sleep(SLOW_MS, undefined, ending).then(answer, answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
const listening = once(server, 'listening');

answering(async (wish: TestInstructions): Promise<Counted> => {
  await listening;
  if (wish.tracks) arrivals = {};
  if (wish.slow !== undefined) {
    slow = wish.slow;
    ending.abort();
    ending = new AbortController();
    setMaxListeners(0, ending.signal);
  }
  return { port: (server.address() as AddressInfo).port, webhooks, arrivals };
});

/** Carriers and subscribers, in a process whose work is not counted: answers creates, counts webhooks. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answering } from './machine.ts';
import type { ShipRequest } from './traffic.ts';

/** How many webhooks came so far. */
export interface Counted {
  readonly port: number;
  readonly webhooks: number;
}

let webhooks = 0;

const answerTo = (url: string, body: string): object => {
  if (url.startsWith('/hook')) {
    webhooks += 1;
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
    const text = JSON.stringify(answerTo(request.url ?? '', Buffer.concat(chunks).toString()));
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
const listening = once(server, 'listening');

answering(async (): Promise<Counted> => {
  await listening;
  return { port: (server.address() as AddressInfo).port, webhooks };
});

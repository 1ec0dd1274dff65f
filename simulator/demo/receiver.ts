// A shipper's webhook endpoint: verifies each signature by the Standard Webhooks library and keeps what came.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

export interface ReceivedNotice {
  readonly event: string;
  readonly carrierCode: string;
  readonly referenceNumber: string;
  /** Counts from 1 for each consignment. */
  readonly sequence: number;
  readonly status: string;
  readonly trackingNumber: string | null;
  readonly carrierStatus?: { readonly code?: string; readonly status?: string };
  readonly labels: readonly { readonly url: string }[];
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedNotice[];
  /** Requests whose signature did not fit. */
  readonly forged: () => number;
  trust(secret: string): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedNotice[] = [];
  let verifier: Webhook | undefined;
  let forged = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        if (verifier === undefined) throw new Error('no secret yet');
        const body = Buffer.concat(chunks).toString();
        received.push(verifier.verify(body, request.headers as Record<string, string>) as ReceivedNotice);
        response.writeHead(200).end();
      } catch {
        forged += 1;
        response.writeHead(401).end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no address');
  return {
    url: `http://127.0.0.1:${address.port}/hooks/waybill`,
    received,
    forged: () => forged,
    trust: (secret) => {
      verifier = new Webhook(secret);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';

interface Seen {
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown> & { readonly referenceId: string };
}

export interface OwnCarrier {
  readonly url: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

interface Asked {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

/** A carrier of the reader's own: a few lines of HTTP server that answer as the contract says. */
export const startCarrier = async (): Promise<OwnCarrier> => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked & Seen['body'];
      seen.push({ authorization: request.headers.authorization, body });
      const { referenceId, orderNumber, carrierCode } = body;
      const itemsTrackDetails = body.itemList.map(({ itemReferenceNumber }) => ({
        itemReferenceNumber,
        trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
        carrierCode,
        orderNumber,
      }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 200, referenceId, timestamp: Date.now(), itemsTrackDetails }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}/consignments`,
    seen,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

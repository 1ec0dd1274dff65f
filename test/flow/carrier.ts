import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Seen {
  readonly atMs: number;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown> & { readonly referenceId: string };
}

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export interface OwnCarrier extends Listening {
  readonly seen: readonly Seen[];
  /** From now on nothing is answered until what this yields is called. */
  hold(): () => void;
}

/** An HTTP server on a port of its own. */
export const listenLocally = async (
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Listening> => {
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

export const textOf = async (request: IncomingMessage): Promise<string> =>
  Buffer.concat((await request.toArray()) as Buffer[]).toString();

interface Asked {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

/** A carrier of the reader's own: a few lines of HTTP server that answer as the contract says. */
export const startCarrier = async (): Promise<OwnCarrier> => {
  const seen: Seen[] = [];
  let answering = Promise.resolve();
  const { url, close } = await listenLocally(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Asked & Seen['body'];
    seen.push({ atMs: performance.now(), path: request.url, authorization: request.headers.authorization, body });
    await answering;
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
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    return resolve;
  };
  return { url: `${url}/consignments`, seen, hold, close };
};

/** Who must not be called: it hears of everybody who comes, to whatever address of this machine. */
import net, { type AddressInfo } from 'node:net';
import { createTransport } from '../../../src/engine/transport/transport.ts';

interface Listener extends AsyncDisposable {
  readonly port: number;
  /** The addresses to which somebody has connected. */
  readonly cameTo: readonly string[];
}

export const openListener = async (): Promise<Listener> => {
  const cameTo: string[] = [];
  const server = net.createServer((socket) => {
    cameTo.push((socket.localAddress ?? '').replace(/^::ffff:/, ''));
    socket.on('error', () => undefined);
    socket.resume();
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cameTo,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** That the listener would see it: with private networks open it is reached, by whatever name. */
export const unseen = async (listener: Listener): Promise<readonly string[]> => {
  const transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-chaos' });
  const missed: string[] = [];
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:7f00:1]', 'localhost']) {
    const before = listener.cameTo.length;
    const request = {
      method: 'GET',
      url: `http://${host}:${listener.port}/`,
      headers: {},
      freshConnection: true,
    } as const;
    await transport.send(request, { timeoutMs: 5_000, maxBytes: 1_000 });
    if (listener.cameTo.length === before) missed.push(host);
  }
  transport.close();
  return missed;
};

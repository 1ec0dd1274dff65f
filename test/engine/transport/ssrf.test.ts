import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResolveName } from '../../../src/engine/transport/connections.ts';
import type { WireRequest } from '../../../src/engine/transport/wire.ts';
import { literalHosts, metadataHosts, names, trickUrls } from './ssrf-corpus.ts';
import { closeServers, type LocalServer, openTransport, startTcp } from './servers.ts';

let isPlain = false;

const familyOf = (address: string): number => (address.includes(':') ? 6 : 4);
const resolveByTable: ResolveName = (name) =>
  Promise.resolve((names[name] ?? []).map((address) => ({ address, family: familyOf(address) })));

let listener: LocalServer;
const sender = (allowPrivateNetworks: boolean, resolve = resolveByTable) => {
  const transport = openTransport({ allowPrivateNetworks, resolve });
  return (url: string, more: Partial<WireRequest> = {}) =>
    transport.send({ method: 'GET', url, headers: {}, isPlain, ...more }, { timeoutMs: 1_000, maxBytes: 10_000 });
};
const sendTo = (host: string, scheme: string, ...how: Parameters<typeof sender>) =>
  sender(...how)(`${scheme}://${host}:${listener.port}/`);

describe.each([false, true])('by a client that is plain: %s', (plain) => {
  /** On every address of this machine, IPv4 and IPv6. */
  beforeAll(async () => {
    isPlain = plain;
    listener = await startTcp((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), '::');
  });
  afterAll(closeServers);

  describe('with private networks closed', () => {
    it.each([...literalHosts, ...metadataHosts])('%s (%s) is not called', async (_title, host) => {
      expect(await sendTo(host, 'https', false)).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
      expect(await sendTo(host, 'http', false)).toMatchObject({ kind: 'not_sent' });
      expect(listener.connections()).toBe(0);
    });

    it.each(Object.entries(names))(
      'the name %s is not called, nor is it said where it leads',
      async (name, addresses) => {
        const outcome = await sendTo(name, 'https', false);
        expect(outcome).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
        expect(outcome).toHaveProperty(
          'message',
          expect.stringMatching(/: the address is (?:private|not public|no IP address)$/),
        );
        for (const address of addresses)
          expect(outcome).not.toHaveProperty('message', expect.stringContaining(address));
        expect(listener.connections()).toBe(0);
      },
    );

    it('a URL that means another host than it seems to is not called', async () => {
      const send = sender(false);
      for (const url of trickUrls(listener.port)) expect(await send(url), url).toMatchObject({ kind: 'not_sent' });
      expect(listener.connections()).toBe(0);
    });
  });

  describe('with private networks open', () => {
    it.each(metadataHosts)('%s (%s) is not called', async (_title, host) => {
      for (const scheme of ['http', 'https']) {
        expect(await sendTo(host, scheme, true)).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
      }
    });

    it('plain HTTP to a name with a public address beside a private one is not sent', async () => {
      const before = listener.connections();
      for (const name of ['public-then-private.example', 'private-then-public.example']) {
        expect(await sendTo(name, 'http', true)).toMatchObject({ kind: 'not_sent', code: 'plain_http_forbidden' });
      }
      expect(listener.connections()).toBe(before);
    });

    it('connects to the address that was checked, having asked for it once', async () => {
      const before = listener.connections();
      let asked = 0;
      const resolve: ResolveName = () => {
        asked += 1;
        return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
      };
      expect(await sendTo('rebinding.example', 'http', true, resolve)).toMatchObject({ kind: 'answer' });
      expect(asked).toBe(1);
      expect(listener.connections()).toBe(before + 1);
    });

    it('a name is judged anew for every connection', async () => {
      const answers = ['127.0.0.1', '169.254.169.254'];
      const resolve: ResolveName = () => Promise.resolve([{ address: answers.shift() ?? '0.0.0.0', family: 4 }]);
      const send = sender(true, resolve);
      const refused = { kind: 'not_sent', code: 'address_forbidden' };
      for (const outcome of [{ kind: 'answer' }, refused, refused])
        expect(await send(`http://rebinding.example:${listener.port}/`, { freshConnection: true })).toMatchObject(
          outcome,
        );
    });

    // The listener would have seen the others too: it sees these.
    it.each(['127.0.0.1', '2130706433', '０x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'loopback.example', 'localhost'])(
      'the listener sees %s',
      async (host) => {
        const before = listener.connections();
        expect(await sendTo(host, 'http', true)).toMatchObject({ kind: 'answer', status: 200 });
        expect(listener.connections()).toBe(before + 1);
      },
    );
  });

  it('the corpus has at least 60 rows', () => {
    expect(literalHosts.length + metadataHosts.length + Object.keys(names).length).toBeGreaterThanOrEqual(60);
  });
});

/** What a carrier may do to us, as paths of one server and three that prove themselves badly. Counts what it is asked. */
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { json } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { listen } from '../mock/listen.ts';
import { answerTo, type ContractOrder } from '../order.ts';
import { createCertificates } from '../../engine/transport/certificates.ts';

export interface AttacksHello {
  readonly url: string;
  /** By what is wrong with the certificate. */
  readonly tls: Readonly<Record<'expired' | 'selfSigned' | 'wrongHost', string>>;
  /** PEM of who signed the expired one and the one of another host. */
  readonly authority: string;
}

export interface AttacksSeen {
  /** Requests, by path. */
  readonly requests: Readonly<Record<string, number>>;
  /** The most of them that were under way at once, by path. */
  readonly peaks: Readonly<Record<string, number>>;
  /** Connections to where the redirects point. */
  readonly followed: number;
}

const requests: Record<string, number> = {};
const underWay: Record<string, number> = {};
const peaks: Record<string, number> = {};
let followed = 0;
const count = (path: string, response: http.ServerResponse): void => {
  requests[path] = (requests[path] ?? 0) + 1;
  underWay[path] = (underWay[path] ?? 0) + 1;
  peaks[path] = Math.max(peaks[path] ?? 0, underWay[path]);
  response.once('close', () => {
    underWay[path] = (underWay[path] ?? 0) - 1;
  });
};

const bomb = zlib.gzipSync(Buffer.alloc(200_000_000));
const block = Buffer.alloc(65_536, ' ');
const JSON_TYPE = { 'content-type': 'application/json' };

type Attack = (asked: ContractOrder, response: http.ServerResponse, request: http.IncomingMessage) => void;

const send = (response: http.ServerResponse, body: string): void => void response.writeHead(200, JSON_TYPE).end(body);

const attacksAt = (target: string): Readonly<Record<string, Attack>> => ({
  well: (asked, response) => send(response, JSON.stringify(answerTo(asked))),
  drip: (asked, response) => {
    const body = JSON.stringify(answerTo(asked)).padStart(100_000);
    response.writeHead(200, JSON_TYPE);
    let at = 0;
    const drop = setInterval(() => response.write(body[at++] ?? ' '), 200);
    response.on('close', () => clearInterval(drop));
  },
  big: (_asked, response) => {
    let leftBytes = 100_000_000;
    response.writeHead(200, JSON_TYPE);
    const more = (): void => {
      while (leftBytes > 0 && !response.destroyed) {
        leftBytes -= block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  },
  bomb: (_asked, response) => void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb),
  loop: (_asked, response, request) => void response.writeHead(307, { location: request.url }).end(),
  elsewhere: (_asked, response) => void response.writeHead(302, { location: target }).end(),
  cut: (asked, response) => {
    const body = JSON.stringify(answerTo(asked));
    response.writeHead(200, { ...JSON_TYPE, 'content-length': String(body.length) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  truncated: (asked, response) => {
    const body = JSON.stringify(answerTo(asked));
    send(response, body.slice(0, body.length - 10));
  },
  nonsense: (_asked, response) => send(response, '{"hello":[1,2,{"status":"ok"}]}'),
  echo: (asked, response) => send(response, JSON.stringify({ ...answerTo(asked), referenceId: 'SOMEBODY-ELSE-1' })),
  packages: (asked, response) => {
    const answer = answerTo(asked);
    send(response, JSON.stringify({ ...answer, itemsTrackDetails: answer.itemsTrackDetails.slice(1) }));
  },
});

const listenerAt =
  (attacks: Readonly<Record<string, Attack>>, fixed?: string): RequestListener =>
  (request, response) => {
    const name = fixed ?? request.url?.slice(1) ?? '';
    count(name, response);
    void json(request).then((asked) => attacks[name]?.(asked as ContractOrder, response, request));
    response.on('error', () => undefined);
  };

const target = net.createServer((socket) => {
  followed += 1;
  socket.destroy();
});
const attacks = attacksAt(`http://127.0.0.1:${await listen(target)}/latest/meta-data/`);
const certificates = createCertificates();
const tlsServer = async (name: 'expired' | 'selfSigned' | 'wrongHost'): Promise<string> => {
  const server = https.createServer(certificates[name], listenerAt(attacks, name));
  server.on('tlsClientError', () => undefined);
  return `https://127.0.0.1:${await listen(server)}`;
};

const hello: AttacksHello = {
  url: `http://127.0.0.1:${await listen(http.createServer(listenerAt(attacks)))}`,
  tls: {
    expired: await tlsServer('expired'),
    selfSigned: await tlsServer('selfSigned'),
    wrongHost: await tlsServer('wrongHost'),
  },
  authority: certificates.authority,
};
process.on('message', () => process.send?.({ requests, peaks, followed } satisfies AttacksSeen));
process.send?.(hello);

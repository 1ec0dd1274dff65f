/** The shippers' side in a process of its own: `receivers.ts <options>` sends its URL. Logs before it answers. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { openJournal } from '../world/journal.ts';
import { DEAD } from '../order.ts';
import { tellUrl } from './listen.ts';

export interface ReceiversOptions {
  readonly journal: string;
  readonly seed: number;
  /** Of first tries, how many are answered 500. */
  readonly faults: number;
}

export interface ReceiverEntry {
  readonly atMs: number;
  readonly receiver: string;
  readonly webhookId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly status: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ReceiversOptions;
const journal = openJournal<ReceiverEntry>(options.journal);
const seen = new Set<string>();

const statusFor = (receiver: string, webhookId: string): number => {
  if (receiver === DEAD) return 500;
  if (seen.has(webhookId)) return 200;
  seen.add(webhookId);
  const draw = createHash('sha256').update(`${options.seed}/${webhookId}`).digest().readUInt32LE() / 2 ** 32;
  return draw < options.faults ? 500 : 200;
};

const server = createServer((request, response) => {
  const receiver = (request.url ?? '/').slice(1);
  const header = (name: string): string => [request.headers[name] ?? ''].flat().join(' ');
  const answer = (body: string): void => {
    const webhookId = header('webhook-id');
    const status = statusFor(receiver, webhookId);
    const [timestamp, signature] = [header('webhook-timestamp'), header('webhook-signature')];
    journal({ atMs: Date.now(), receiver, webhookId, timestamp, signature, body, status });
    response.writeHead(status).end();
  };
  text(request).then(answer, () => undefined);
});
await tellUrl(server);

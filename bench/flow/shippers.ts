/** Shippers who create, and carriers who push: a number of requests at once, in a process of their own. */
import { Agent, request as send } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answering } from './machine.ts';

export type Kind = 'dispatch' | 'push';

export interface Load {
  readonly kind: Kind;
  /** The n-th request goes to the n-th target, round and round. */
  readonly targets: readonly { readonly url: string; readonly token: string; readonly carrier: string }[];
  /** A module of this folder, or an absolute one, that exports `orderOf` and `statusOf`. */
  readonly traffic: string;
  /** Number of the first consignment. */
  readonly first: number;
  readonly count: number;
  readonly concurrency: number;
}

export interface Sent {
  /** Milliseconds until each answer, sorted. */
  readonly latenciesMs: readonly number[];
  /** When each began, by its place, as `Date.now()`. */
  readonly begunMs: readonly number[];
  /** Answers 503, each of which was asked again. */
  readonly busy: number;
}

interface Traffic {
  orderOf(carrier: string, number: number): object;
  statusOf(carrier: string, number: number): object;
}

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
const BUSY_WAIT_MS = 50;
const ANSWERED_WITHIN_MS = 120_000;

const post = async (url: string, token: string, body: string): Promise<{ status: number; text: string }> =>
  await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const request = send(url, { agent, method: 'POST', headers, timeout: ANSWERED_WITHIN_MS }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(`${url} does not answer`)));
    request.on('error', reject);
    request.end(body);
  });

answering(async ({ kind, targets, traffic, first, count, concurrency }: Load): Promise<Sent> => {
  const { orderOf, statusOf } = (await import(path.resolve(import.meta.dirname, traffic))) as Traffic;
  const bodyOf = kind === 'dispatch' ? orderOf : statusOf;
  const latenciesMs: number[] = [];
  const begunMs: number[] = [];
  let begun = 0;
  let busy = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      const number = first + begun;
      begun += 1;
      begunMs.push(Date.now());
      const { url = '', token = '', carrier = '' } = targets[number % targets.length] ?? {};
      const body = JSON.stringify(bodyOf(carrier, number));
      const startMs = performance.now();
      for (;;) {
        const { status, text } = await post(url, token, body);
        if (status === 200) break;
        if (status !== 503) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
        if (performance.now() - startMs > ANSWERED_WITHIN_MS) throw new Error(`${url} stays busy`);
        busy += 1;
        await sleep(BUSY_WAIT_MS);
      }
      latenciesMs.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return { latenciesMs: latenciesMs.toSorted((a, b) => a - b), begunMs, busy };
});

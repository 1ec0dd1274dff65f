/** Twenty carriers of the contract behind one port, `/c01` to `/c20`; the first may be told to hang, to fail, or to answer at length. */
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { tellUrl } from '../mock/listen.ts';
import { answerTo, type ContractOrder } from '../order.ts';

type Mood = 'well' | 'hangs' | 'fails' | 'large' | 'huge';

const ANSWERS_AFTER_MS = 100;
/** What it answers at length: within the limits of an answer, 4.5 MB, and beyond them, 18 MB. */
const details = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, id) => ({ id, text: 'some detail that nobody asked for '.repeat(8) })),
  );
const DETAILS: Readonly<Partial<Record<Mood, string>>> = { large: details(15_000), huge: details(60_000) };

let mood: Mood = 'well';
/** How often each reference came. */
const effects: Record<string, number> = {};

const server = http.createServer((request, response) => {
  void json(request).then((body) => {
    const own: Mood = request.url?.startsWith('/c01') === true ? mood : 'well';
    if (own === 'hangs') return;
    if (own === 'fails') return void response.writeHead(503).end('busy');
    const order = body as ContractOrder;
    effects[order.referenceId] = (effects[order.referenceId] ?? 0) + 1;
    setTimeout(() => {
      const answer = JSON.stringify({ ...answerTo(order), details: [] });
      const long = answer.replace('"details":[]', () => `"details":${DETAILS[own] ?? '[]'}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end(long);
    }, ANSWERS_AFTER_MS);
  });
});
process.on('message', (message: Mood | 'effects') => {
  if (message === 'effects') return void process.send?.(effects);
  mood = message;
});
await tellUrl(server);

/** Twenty carriers of the contract behind one port, `/c01` to `/c20`; the first may be told to hang or to fail. */
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { tellUrl } from '../mock/listen.ts';
import { answerTo, type ContractOrder } from '../order.ts';

type Mood = 'well' | 'hangs' | 'fails';

const ANSWERS_AFTER_MS = 100;
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
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(order)));
    }, ANSWERS_AFTER_MS);
  });
});
process.on('message', (message: Mood | 'effects') => {
  if (message === 'effects') return void process.send?.(effects);
  mood = message;
});
await tellUrl(server);

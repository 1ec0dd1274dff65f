/** Twenty carriers of the contract behind one port, `/c01` to `/c20`; the first may be told to hang or to fail. */
import http from 'node:http';
import { answerTo, type ContractOrder } from '../order.ts';

type Mood = 'well' | 'hangs' | 'fails';

const ANSWERS_AFTER_MS = 100;
let mood: Mood = 'well';
/** How often each reference came. */
const effects: Record<string, number> = {};

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const own: Mood = request.url?.startsWith('/c01') === true ? mood : 'well';
    if (own === 'hangs') return;
    if (own === 'fails') return void response.writeHead(503).end('busy');
    const order = JSON.parse(Buffer.concat(chunks).toString()) as ContractOrder;
    effects[order.referenceId] = (effects[order.referenceId] ?? 0) + 1;
    const body = JSON.stringify(answerTo(order));
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }, ANSWERS_AFTER_MS);
  });
});
process.on('message', (message: Mood | 'effects') => {
  if (message === 'effects') return void process.send?.(effects);
  mood = message;
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});

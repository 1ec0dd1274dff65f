/** Twenty carriers of the contract behind one port, `/c01` to `/c20`; the first may be told to hang or to fail. */
import http from 'node:http';
import { answerOf, type Asked } from '../house/contract.ts';

type Mood = 'well' | 'hangs' | 'fails';

const ANSWERS_AFTER_MS = 100;
let mood: Mood = 'well';
/** When the first carrier was asked, and whether it answered well, since it was last told how to be. */
let asked: { readonly atMs: number; readonly well: boolean }[] = [];

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const own: Mood = request.url?.startsWith('/c01') === true ? mood : 'well';
    if (request.url?.startsWith('/c01') === true) asked.push({ atMs: Date.now(), well: own === 'well' });
    if (own === 'hangs') return;
    if (own === 'fails') return void response.writeHead(503).end('busy');
    const body = JSON.stringify(answerOf(JSON.parse(Buffer.concat(chunks).toString()) as Asked));
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }, ANSWERS_AFTER_MS);
  });
});
process.on('message', (message: Mood | 'asked') => {
  if (message === 'asked') return void process.send?.(asked);
  mood = message;
  asked = [];
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});

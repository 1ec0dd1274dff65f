// A hostile server as a process of its own, so that its memory is not counted as ours. Argument: what it sends.
import http, { type RequestListener } from 'node:http';
import zlib from 'node:zlib';

const zeros = Buffer.alloc(200_000_000);
const block = Buffer.alloc(65_536);

const sendPacked =
  (encoding: string, bomb: Buffer): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
  };

const sendMuch: RequestListener = (_request, response) => {
  let leftBytes = 100_000_000;
  const more = (): void => {
    while (leftBytes > 0) {
      leftBytes -= block.length;
      if (!response.write(block)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
};

const fastBrotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };

const attacks: Readonly<Record<string, () => RequestListener>> = {
  gzip: () => sendPacked('gzip', zlib.gzipSync(zeros)),
  br: () => sendPacked('br', zlib.brotliCompressSync(zeros, fastBrotli)),
  zstd: () => sendPacked('zstd', zlib.zstdCompressSync(zeros)),
  plain: () => sendMuch,
};

const listener = attacks[process.argv[2] ?? '']?.();
if (listener === undefined) throw new Error('name an attack');
const server = http.createServer(listener).listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
// Ends with whoever started it.
process.on('disconnect', () => process.exit(0));

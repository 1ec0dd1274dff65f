import type http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadLabel, type Downloading } from '../../../src/engine/labels/fetch.ts';
import type { Transport } from '../../../src/engine/transport/transport.ts';
import { closeServers, openTransport, startHttp, startTcp } from '../transport/servers.ts';
import { PDF, ZPL } from './labels.ts';

let transport: Transport;
beforeEach(() => void (transport = openTransport()));
afterEach(closeServers);

const authHeaders: Downloading['authHeaders'] = async () => await Promise.resolve({});
const download = async (url: string, own: Partial<Downloading> = {}) =>
  await downloadLabel(url, { send: transport.send, nowMs: Date.now, authHeaders, ...own });
const answering = async (status: number, body: Buffer | string = '', headers: http.OutgoingHttpHeaders = {}) =>
  await startHttp((_request, response) => response.writeHead(status, headers).end(body));

const part = (type: string, body: string): string => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const parts = `${part('application/json', '{"ok":true}')}${part('application/pdf', PDF.toString('latin1'))}--b--\r\n`;

describe('a label URL', () => {
  test.each([
    ['a label, whatever its Content-Type', PDF, 'text/html', PDF],
    ['base64 text', ZPL.toString('base64'), 'text/plain', ZPL],
    ['several parts, one of them a label', parts, 'multipart/mixed; boundary=b', PDF],
  ])('that answers %s yields its bytes', async (_, body, type, bytes) => {
    const { url } = await answering(200, body, { 'content-type': type });
    expect(await download(url)).toEqual({ kind: 'stored', bytes, format: bytes === PDF ? 'PDF' : 'ZPL' });
  });

  test.each([
    [202, false],
    [204, false],
    [404, false],
    [429, false],
    [500, false],
    [503, false],
    [400, true],
    [401, true],
    [403, true],
    [410, true],
  ])('that answers %i is a placeholder; is it a refusal? %s', async (status, isRefusal) => {
    const { url } = await answering(status, status === 204 ? '' : PDF);
    const code = isRefusal ? 'label_refused' : 'label_not_ready';
    const message = `the label URL answered ${status}`;
    expect(await download(url)).toEqual({ kind: 'not_yet', code, message, isRefusal });
  });

  test.each([
    ['nothing', '', false],
    ['a page', '<!doctype html><title>Please wait</title>', true],
    ['JSON', '{"status":"PENDING"}', true],
    ['half a label', PDF.subarray(0, 20), true],
  ])('that answers 200 with %s is a placeholder, for a while', async (_, body, isRefusal) => {
    expect(await download((await answering(200, body)).url)).toMatchObject({ kind: 'not_yet', isRefusal });
  });

  test('that is not reached, or answers too late, is asked again', async () => {
    const silent = await startTcp();
    const late = { kind: 'not_yet', code: 'timeout' };
    expect(await download(silent.url, { timeoutMs: 200 })).toMatchObject(late);
    await silent.close();
    const unreached = { kind: 'not_yet', code: 'connection_refused' };
    expect(await download(silent.url)).toMatchObject(unreached);
  });

  test.each(['labels/1.pdf', 'file:///etc/passwd', 'http://169.254.169.254/latest'])(
    'that is %s is not',
    async (url) => {
      expect(await download(url)).toMatchObject({ kind: 'failed' });
    },
  );

  test('on a private network is not, where these are closed', async () => {
    const { url } = await answering(200, PDF);
    const { send } = openTransport({ allowPrivateNetworks: false });
    expect(await download(url, { send })).toMatchObject({ kind: 'failed', code: 'plain_http_forbidden' });
  });

  test('that is too large is not asked for again', async () => {
    const { url } = await answering(200, Buffer.alloc(20_000_001, '%PDF-'));
    expect(await download(url)).toMatchObject({ kind: 'failed' });
  });

  test('is asked with authentication only where its host is declared, also after a redirect', async () => {
    const seen: (string | undefined)[] = [];
    const store = await startHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.end(PDF);
    });
    const carrier = await startHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: `${store.url}/signed?x=1` }).end();
    });
    const declared: Downloading['authHeaders'] = async (url) =>
      await Promise.resolve(url.startsWith(carrier.url) ? { authorization: 'Bearer secret' } : {});
    expect(await download(`${carrier.url}/label`, { authHeaders: declared })).toMatchObject({ kind: 'stored' });
    expect(seen).toEqual(['Bearer secret', undefined]);
  });

  test('that redirects in a circle is left after a few', async () => {
    const server = await answering(302, '', { location: '/again' });
    const message: unknown = expect.stringContaining('redirects');
    expect(await download(server.url)).toMatchObject({ kind: 'not_yet', message });
    expect(server.received()).toBe(6);
  });
});

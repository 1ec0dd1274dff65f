import type http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadLabel } from '../../../src/engine/labels/download.ts';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';
import { closeServers, startHttp, startTcp } from '../transport/servers.ts';
import { PDF, ZPL } from './labels.ts';

let transport: Transport;
beforeEach(() => {
  transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
});
afterEach(async () => {
  transport.close();
  await closeServers();
});

const noProof = async () => await Promise.resolve({});
const download = async (
  url: string,
  own: { timeoutMs?: number; authHeaders?: (url: string) => Promise<Record<string, string>> } = {},
) => await downloadLabel(url, { send: transport.send, nowMs: Date.now, authHeaders: noProof, ...own });

const answering = async (status: number, body: Buffer | string = '', headers: http.OutgoingHttpHeaders = {}) =>
  (
    await startHttp((_request, response) => {
      response.writeHead(status, headers);
      response.end(body);
    })
  ).url;

describe('a label URL', () => {
  test('that answers a label yields its bytes, whatever Content-Type it names', async () => {
    const url = await answering(200, PDF, { 'content-type': 'text/html' });
    expect(await download(url)).toEqual({ kind: 'stored', bytes: PDF, format: 'PDF' });
  });

  test('that answers base64 text yields what is inside', async () => {
    const url = await answering(200, ZPL.toString('base64'), { 'content-type': 'text/plain' });
    expect(await download(url)).toEqual({ kind: 'stored', bytes: ZPL, format: 'ZPL' });
  });

  test('that answers several parts yields the one that is a label', async () => {
    const body = `--b\r\nContent-Type: application/json\r\n\r\n{"ok":true}\r\n--b\r\nContent-Type: application/pdf\r\n\r\n${PDF.toString('latin1')}\r\n--b--\r\n`;
    const url = await answering(200, body, { 'content-type': 'multipart/mixed; boundary=b' });
    expect(await download(url)).toMatchObject({ kind: 'stored', format: 'PDF' });
  });

  test.each([202, 204, 404, 401, 403, 429, 500, 503])('that answers %i is a placeholder', async (status) => {
    const url = await answering(status, status === 204 ? '' : PDF);
    expect(await download(url)).toEqual({ kind: 'not_yet', message: `the label URL answered ${status}` });
  });

  test.each([
    ['nothing', ''],
    ['a page', '<!doctype html><title>Please wait</title>'],
    ['JSON', '{"status":"PENDING"}'],
    ['half a label', PDF.subarray(0, 20)],
  ])('that answers 200 with %s is a placeholder', async (_, body) => {
    expect(await download(await answering(200, body))).toMatchObject({ kind: 'not_yet' });
  });

  test('that is not reached, or answers too late, is asked again', async () => {
    const silent = await startTcp();
    expect(await download(silent.url, { timeoutMs: 200 })).toMatchObject({
      kind: 'not_yet',
      message: expect.stringMatching(/^timeout: /),
    });
    await silent.close();
    expect(await download(silent.url)).toMatchObject({ message: expect.stringMatching(/^connection_refused: /) });
  });

  test('that is none, or leads where nobody may go, is not', async () => {
    expect(await download('labels/1.pdf')).toMatchObject({ kind: 'failed' });
    expect(await download('file:///etc/passwd')).toMatchObject({ kind: 'failed' });
    expect(await download('http://169.254.169.254/latest')).toMatchObject({ kind: 'failed' });
    const guarded = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: false });
    const url = await answering(200, PDF);
    const outcome = await downloadLabel(url, { send: guarded.send, nowMs: Date.now, authHeaders: noProof });
    guarded.close();
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(/^plain_http_forbidden: /) });
  });

  test('that is too large is not asked for again', async () => {
    const url = (
      await startHttp((_request, response) => {
        response.end(Buffer.alloc(20_000_001, '%PDF-'));
      })
    ).url;
    expect(await download(url)).toMatchObject({ kind: 'failed' });
  });

  test('is asked with our proof only where its host is declared, also after a redirect', async () => {
    const seen: (string | undefined)[] = [];
    const store = await startHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.end(PDF);
    });
    const carrier = await startHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: `${store.url}/signed?x=1` }).end();
    });
    const authHeaders = async (url: string): Promise<Record<string, string>> =>
      await Promise.resolve(url.startsWith(carrier.url) ? { authorization: 'Bearer secret' } : {});
    expect(await download(`${carrier.url}/label`, { authHeaders })).toMatchObject({ kind: 'stored' });
    expect(seen).toEqual(['Bearer secret', undefined]);
  });

  test('that redirects in a circle is left after a few', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(302, { location: '/again' }).end();
    });
    expect(await download(server.url)).toMatchObject({
      kind: 'not_yet',
      message: expect.stringContaining('redirects'),
    });
    expect(server.received()).toBe(6);
  });
});

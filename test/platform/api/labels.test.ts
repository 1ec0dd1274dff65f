import { beforeEach, describe, expect, it } from 'vitest';
import { apiWorld, readyLabel } from './world.ts';

describe('GET /v2/labels/{id}', () => {
  const api = apiWorld();
  const { shop } = api;
  let url = '';
  const served = (label: object) => api.state.labels.set(url.split('/').at(-1) ?? '', label as never);

  beforeEach(async () => {
    const { body } = await shop.create();
    url = new URL(body.data[0].trackingDetails[0].label).pathname;
    served(readyLabel('%PDF-1.4'));
  });

  it('serves the bytes to whoever has the link', async () => {
    expect(await api.call({ url })).toMatchObject({
      status: 200,
      text: '%PDF-1.4',
      headers: {
        'content-type': 'application/pdf',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-disposition': 'inline; filename="label.pdf"',
      },
    });
  });

  it('serves it to its shipper, hides it from another, and refuses a token that is none', async () => {
    const other = await api.newShipper();
    const all = [await shop.get(url), await other.get(url), await api.as('wb_shipper_x_y').get(url)];
    expect(all.map(({ status }) => status)).toEqual([200, 404, 401]);
  });

  it.each([
    ['revoked', { kind: 'gone', why: 'revoked', record: {} }, 404, ''],
    ['unknown', { kind: 'unknown' }, 404, ''],
    ['failed', { kind: 'gone', why: 'failed', record: { failure: 'not a label' } }, 502, 'not a label'],
    ['not made yet', { kind: 'not_ready', dueAtMs: api.clock.now() + 30_500 }, 503, ''],
  ])('says when it is not there: %s', async (_, label, status, message) => {
    served(label);
    const reply = await api.call({ url });
    expect(reply).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
    expect(reply.headers['retry-after']).toBe(status === 503 ? '31' : undefined);
  });

  it('is 400 for what no id can be', async () => {
    expect((await api.call({ url: '/v2/labels/..%2f..%2fetc' })).status).toBe(400);
  });
});

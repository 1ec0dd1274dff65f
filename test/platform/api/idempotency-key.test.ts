import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { until } from '../../support/until.ts';
import { done, held, rejected } from './carrier.ts';
import { apiWorld, JSON_TYPE, order, type Method } from './world.ts';

const key = (value = 'k1') => ({ 'idempotency-key': value });
const change = (fields: object) => ({ consignmentDetails: { referenceNumber: 'REF-1', ...fields } });

/** Each request that may bring a key. */
const CREATE = ['create', 'POST', '/v2/consignments', order()] as const;
const OTHERS = [
  ['update', 'PUT', '/v2/consignments', change({ deliveryInstructions: 'Example' })],
  ['cancel', 'POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'REF-1', remark: 'Example' }] }],
] as const;
const RETRY = ['retry', 'POST', '/v2/consignments/REF-1/dispatch', undefined] as const;

describe('Idempotency-Key', () => {
  const api = apiWorld();
  const { shop, carrier } = api;
  type Request = readonly [method: Method, url: string, body: unknown];
  const ask = ([method, url, body]: Request) => shop.request(method, url, body, key());
  /** Asks while no answer can be kept, then again. */
  const cutShort = async (request: Request, meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
    const recordsAreBack = await api.loseAnswers();
    expect((await ask(request)).status).toBe(500);
    await meanwhile();
    await recordsAreBack();
    return await ask(request);
  };
  const later = (fields: object) => async () => expect((await shop.change(fields)).status).toBe(200);

  it('replays the stored answer', async () => {
    const first = await shop.create(order(), key());
    api.clock.advance(1_000);
    const again = await shop.create(order(), key());
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect(again.body).toEqual(first.body);
  });

  it('is 409 with another body', async () => {
    await shop.create(order(), key());
    expect((await shop.create(order({}, 'REF-2'), key())).status).toBe(409);
  });

  it('is the shipper’s own', async () => {
    const other = await api.newShipper();
    await shop.create(order(), key());
    expect((await other.create(order({}, 'REF-2'), key())).status).toBe(200);
  });

  it('gives all that come at once the one answer', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => shop.create(order(), key())));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.every(({ status }) => status === 200)).toBe(true);
  });

  it('keeps a carrier’s rejection, but not a finding that may be mended', async () => {
    carrier.answers(rejected('not today'));
    expect((await shop.create(order(), key())).status).toBe(422);
    carrier.answers('as usual');
    expect((await shop.create(order(), key())).body.errors).toEqual(['not today']);

    expect((await shop.create(order({ 'carrier.code': 'nobody' }, 'REF-2'), key('k2'))).status).toBe(422);
    expect((await shop.create(order({}, 'REF-2'), key('k2'))).status).toBe(200);
  });

  it('goes on where a request was cut short', async () => {
    carrier.answers(new Error('the process ends here'));
    expect((await shop.create(order(), key())).status).toBe(500);
    await api.sql(`update dispatches set state = 'pending', lease = null where state = 'sending'`);
    carrier.answers('as usual');
    const again = await shop.create(order(), key());
    expect(again).toMatchObject({ status: 200, body: { data: [{ trackingDetails: [{}] }] } });
  });

  it('does nothing a second time that was done, and is free again soon after the records are back', async () => {
    const [, ...cancel] = OTHERS[1];
    carrier.answers((asked) => (asked === 'create' ? 'as usual' : held('unknown_outcome')));
    await shop.create();
    const recordsAreBack = await api.loseAnswers({ andNotes: true });
    expect((await ask(cancel)).status).toBe(500);
    await recordsAreBack();
    await until('it is taken up again', async () => (await ask(cancel)).headers['idempotency-replayed'] === 'true');
    expect(carrier.asked()).toEqual(['create', 'cancel']);
  });

  it.each([CREATE, ...OTHERS, RETRY])(
    'answers the repeat of what was done, but for its answer, as the first: %s',
    async (name, ...request) => {
      const answered = async (isLost: boolean) => {
        if (name === 'retry') carrier.answers(held('fail'));
        if (name !== 'create') await shop.create();
        carrier.answers('as usual');
        const { status, text } = isLost ? await cutShort(request) : await ask(request);
        return { status, text: text.replace(/labels\/[\w-]+/g, 'labels/x') };
      };
      const lost = await answered(true);
      api.renewShop();
      expect(lost).toEqual(await answered(false));
    },
  );

  describe('of an update that was cut short', () => {
    const UPDATE = OTHERS[0].slice(1) as unknown as Request;
    const repeated = async (first: RunOutcome, meanwhile?: () => Promise<unknown>) => {
      await shop.create();
      carrier.answers(first);
      return await cutShort(UPDATE, async () => {
        carrier.answers('as usual');
        await meanwhile?.();
      });
    };

    it('lays it over no later update', async () => {
      const { status } = await repeated(done(), later({ deliveryInstructions: 'Later' }));
      expect(status).toBe(200);
      expect(carrier.asked()).toEqual(['create', 'update', 'update']);
    });

    it('sends nothing again that is held, though the order has changed since', async () => {
      await repeated(held('unknown_outcome'), later({ routingTags: ['later'] }));
      expect(carrier.asked()).toEqual(['create', 'update']);
    });

    it('says that it was done, though it could not be any more', async () => {
      const { status } = await repeated(done(), () => api.reached('Out For Delivery'));
      expect(status).toBe(200);
    });

    it('gives the carrier’s refusal, and asks no second time', async () => {
      const refused = await repeated(rejected('not any more'));
      expect(refused).toMatchObject({ status: 422, body: { errors: ['not any more'] } });
      expect(carrier.asked()).toEqual(['create', 'update']);
    });
  });

  it('is 400, not more, for a body that is nested beyond all bounds', async () => {
    const payload = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect((await shop.create(payload, { ...key(), ...JSON_TYPE })).status).toBe(400);
  });

  it.each(['', 'a b', 'ü', 'x'.repeat(256)])('is 400 when it is %j', async (value) => {
    expect((await shop.create(order(), key(value))).status).toBe(400);
  });
});

describe('Idempotency-Key, when the records end before they have said that it is taken', () => {
  let isLosing = false;
  const pool = new Proxy({} as Pool, {
    get: (_nothing, name) => {
      const real = api.database.pool;
      if (name !== 'query') return Reflect.get(real, name, real) as unknown;
      return async (query: string | { text: string }, values?: unknown[]) => {
        const result = await real.query(query as string, values);
        const sql = typeof query === 'string' ? query : query.text;
        if (!isLosing || !sql.includes('insert into idempotency_keys')) return result;
        isLosing = false;
        throw new Error('Connection terminated unexpectedly');
      };
    },
  });
  const api = apiWorld({ pool });

  it('is free for the next try at once', async () => {
    isLosing = true;
    expect((await api.shop.create(order(), key())).status).toBe(503);
    expect((await api.shop.create(order(), key())).status).toBe(200);
  });
});

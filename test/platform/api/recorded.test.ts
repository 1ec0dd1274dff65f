import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { apiWorld, order, TRACKED } from './world.ts';

const ACCEPTS = 'insert into consignments';
const READ = '/v2/consignments?referenceNumber=REF-1';
const READS_REPLY = 'from dispatches where id = dispatch_id';

/** What a statement with this text gives is lost with its connection, or kept back. */
interface Fault {
  readonly text: string;
  readonly instead: (result: unknown) => Promise<unknown>;
}

const lost = (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));

describe('an order that is recorded', () => {
  let fault: Fault | undefined;
  const pool = new Proxy({} as Pool, {
    get: (_nothing, name) => {
      const real = api.database.pool;
      if (name !== 'query') return Reflect.get(real, name, real) as unknown;
      return async (query: string | { text: string }, values?: unknown[]) => {
        const result = await real.query(query as string, values);
        const text = typeof query === 'string' ? query : query.text;
        if (fault === undefined || !text.includes(fault.text)) return result;
        const { instead } = fault;
        fault = undefined;
        return await instead(result);
      };
    },
  });
  const api = apiWorld({ pool, answerWithinMs: 1_000 });
  const { shop, carrier } = api;
  const key = { 'idempotency-key': 'k1' };
  const tracked = [TRACKED];
  const answered = async (asked: ReturnType<typeof shop.create>) => {
    const { status, body } = await asked;
    return [status, body.data?.[0]?.trackingDetails ?? body.data?.trackingDetails];
  };
  /** Keeps the answer to a statement back; yields what lets it go. */
  const keepBack = (text: string): (() => void) => {
    const gate = Promise.withResolvers<void>();
    fault = {
      text,
      instead: async (result) => {
        await gate.promise;
        return result;
      },
    };
    return gate.resolve;
  };
  afterEach(() => {
    fault = undefined;
  });

  it.each([
    ['without a key', {}],
    ['with a key', key],
  ])('is answered 200 where it cannot be read any more, %s; its dispatch goes on', async (_, headers) => {
    await shop.opened();
    fault = { text: READS_REPLY, instead: lost };
    expect(await answered(shop.create(order(), headers))).toEqual([200, []]);
    expect((await shop.read()).trackingDetails).toEqual(tracked);
    expect(carrier.asked()).toEqual(['create']);
    // With a key the repeat reads on, as of a request that was cut short.
    expect(await answered(shop.create(order(), headers))).toEqual(['idempotency-key' in headers ? 200 : 409, tracked]);
  });

  it('is answered 200 when its time is up', async () => {
    await shop.opened();
    const letGo = keepBack(READS_REPLY);
    expect(await answered(shop.create())).toEqual([200, []]);
    letGo();
  });

  it('is answered 200 to each repeat where the first was told 503, as nobody could know', async () => {
    await shop.opened();
    fault = { text: ACCEPTS, instead: lost };
    expect((await shop.create()).status).toBe(503);
    expect(await answered(shop.create())).toEqual([200, tracked]);
    expect(carrier.asked()).toEqual(['create']);
    expect(await answered(shop.create())).toEqual([200, tracked]);
  });

  it('stays 409 for another order of its reference, also after a 503', async () => {
    await shop.opened();
    fault = { text: ACCEPTS, instead: lost };
    expect((await shop.create()).status).toBe(503);
    expect((await shop.create(order({ 'consignmentDetails.orderNumber': 'ORD-2' }))).status).toBe(409);
  });

  it('is answered 200 to the repeat where it was recorded after the 503', async () => {
    await shop.opened();
    const letGo = keepBack(ACCEPTS);
    expect((await shop.create()).status).toBe(503);
    const again = shop.create();
    letGo();
    expect(await answered(again)).toEqual([200, tracked]);
    expect(carrier.asked()).toEqual(['create']);
  });

  it('is known by its key to the repeat of a 503', async () => {
    await shop.opened();
    fault = { text: ACCEPTS, instead: lost };
    expect((await shop.create(order(), key)).status).toBe(503);
    expect(await answered(shop.create(order(), key))).toEqual([200, tracked]);
    expect(await answered(shop.create(order(), key))).toEqual([200, tracked]);
    expect(carrier.asked()).toEqual(['create']);
  });

  it('is none any more that has waited too long to be written: its repeat is as if it were the first', async () => {
    await shop.opened();
    const letGo = keepBack(ACCEPTS);
    const first = shop.create();
    await until('the first is being written', () => fault === undefined);
    const other = shop.create(order({}, 'REF-2'));
    expect((await other).status).toBe(503);
    await sleep(2_500);
    letGo();
    expect((await first).status).toBe(503);
    await until('the first is told of', async () => (await shop.get(READ)).status === 200);
    expect((await shop.get('/v2/consignments?referenceNumber=REF-2')).status).toBe(404);
    expect((await shop.create(order({}, 'REF-2'))).status).toBe(200);
  });
});

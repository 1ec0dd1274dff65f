import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { until } from '../../support/until.ts';
import { accepts, apiUnderTest, done, held, rejected } from './harness.ts';

const orderOf = (referenceNumber: string) =>
  changed(leastOrder(), { 'consignmentDetails.referenceNumber': referenceNumber });
const changeOf = (referenceNumber: string) => ({
  consignmentDetails: { referenceNumber, deliveryInstructions: 'Example' },
});
const key = (value: string) => ({ 'idempotency-key': value });

describe('Idempotency-Key', () => {
  const api = apiUnderTest();
  type Shipper = Awaited<ReturnType<typeof api.newShipper>>;

  it('replays the stored answer', async () => {
    const shipper = await api.newShipper();
    const first = await shipper.create(orderOf('A'), key('k1'));
    api.clock.advance(1_000);
    const again = await shipper.create(orderOf('A'), key('k1'));
    expect(again.statusCode).toBe(200);
    expect(again.data).toEqual(first.data);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('is 409 with another body', async () => {
    const shipper = await api.newShipper();
    await shipper.create(orderOf('A'), key('k1'));
    expect((await shipper.create(orderOf('B'), key('k1'))).statusCode).toBe(409);
  });

  it('is the shipper’s own', async () => {
    const [one, other] = [await api.newShipper(), await api.newShipper()];
    await one.create(orderOf('A'), key('k1'));
    expect((await other.create(orderOf('B'), key('k1'))).statusCode).toBe(200);
  });

  it('gives all that come at once the one answer', async () => {
    const shipper = await api.newShipper();
    const all = await Promise.all(
      Array.from({ length: 12 }, async () => await shipper.create(orderOf('A'), key('k1'))),
    );
    expect(new Set(all.map(({ body }) => body)).size).toBe(1);
    expect(all.every(({ statusCode }) => statusCode === 200)).toBe(true);
  });

  it('keeps a carrier’s rejection, but not a finding that may be mended', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => rejected('not today');
    expect((await shipper.create(orderOf('A'), key('k1'))).statusCode).toBe(422);
    api.state.answering = accepts();
    expect((await shipper.create(orderOf('A'), key('k1'))).data.errors).toEqual(['not today']);

    const unknown = changed(orderOf('B'), { 'carrier.code': 'nobody' });
    expect((await shipper.create(unknown, key('k2'))).statusCode).toBe(422);
    expect((await shipper.create(orderOf('B'), key('k2'))).statusCode).toBe(200);
  });

  it('goes on where a request was cut short', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => {
      throw new Error('the process ends here');
    };
    expect((await shipper.create(orderOf('A'), key('k1'))).statusCode).toBe(500);
    await api.database.pool.query(`update dispatches set state = 'pending', lease = null where state = 'sending'`);
    api.state.answering = accepts();
    const again = await shipper.create(orderOf('A'), key('k1'));
    expect(again.statusCode).toBe(200);
    expect(again.data.data[0].trackingDetails).toHaveLength(1);
  });

  it('goes on soon after the records were away, though they could not be told that it was cut short', async () => {
    const shipper = await api.newShipper();
    const create = async () => await shipper.create(orderOf('A'), key('k1'));
    const recordsAreBack = await api.loseAnswers();
    expect((await create()).statusCode).toBe(500);

    await recordsAreBack();
    await until('the request is taken up again', async () => (await create()).statusCode === 200);
    expect((await create()).headers['idempotency-replayed']).toBe('true');
  });

  it.each([
    ['update', 'PUT', '/v2/consignments', changeOf('A')],
    ['cancel', 'POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'A', remark: 'Example' }] }],
  ] as const)(
    'does not send a second %s where nobody knows the end of the first',
    async (operation, method, url, body) => {
      const shipper = await api.newShipper();
      const sent: string[] = [];
      api.state.answering = (asked, consignment) => {
        sent.push(asked);
        return asked === 'create' ? accepts()(asked, consignment) : held('unknown_outcome');
      };
      await shipper.create(orderOf('A'));
      const recordsAreBack = await api.loseAnswers();
      expect((await shipper(method, url, body, key('k2'))).statusCode).toBe(500);
      await recordsAreBack();
      const repeat = async () => await shipper(method, url, body, key('k2'));
      await until('it is taken up again', async () => (await repeat()).headers['idempotency-replayed'] === 'true');
      expect(sent).toEqual(['create', operation]);
      api.state.answering = accepts();
    },
  );

  it.each([
    ['create', 'POST', '/v2/consignments', orderOf('A')],
    ['update', 'PUT', '/v2/consignments', changeOf('A')],
    ['cancel', 'POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'A', remark: 'Example' }] }],
    ['retry', 'POST', '/v2/consignments/A/dispatch', undefined],
  ] as const)(
    'answers the repeat of what was done, but for its answer, as the first: %s',
    async (name, method, url, body) => {
      const answered = async (isLost: boolean) => {
        const shipper = await api.newShipper();
        if (name !== 'create') {
          if (name === 'retry') api.state.answering = () => held('fail');
          await shipper.create(orderOf('A'));
          api.state.answering = accepts();
        }
        if (isLost) {
          const recordsAreBack = await api.loseAnswers();
          expect((await shipper(method, url, body, key('k1'))).statusCode).toBe(500);
          await recordsAreBack();
          const repeat = async () => await shipper(method, url, body, key('k1'));
          await until('it is taken up again', async () => (await repeat()).headers['idempotency-replayed'] === 'true');
        }
        const { statusCode, body: text } = await shipper(method, url, body, key('k1'));
        return { statusCode, text: text.replace(/labels\/[\w-]+/g, 'labels/x') };
      };
      expect(await answered(true)).toEqual(await answered(false));
    },
  );

  /** Begins with an update whose answer is lost; `meanwhile` comes before its repeat. */
  const repeated = async (first: RunOutcome, meanwhile: (shipper: Shipper) => Promise<unknown>) => {
    const shipper = await api.newShipper();
    const sent: string[] = [];
    let outcome: RunOutcome | undefined = first;
    api.state.answering = (asked, consignment) => {
      sent.push(asked);
      const answered = asked === 'update' ? outcome : undefined;
      return answered ?? accepts()(asked, consignment);
    };
    await shipper.create(orderOf('A'));
    const recordsAreBack = await api.loseAnswers();
    expect((await shipper.update(changeOf('A'), key('k1'))).statusCode).toBe(500);
    outcome = undefined;
    await meanwhile(shipper);
    await recordsAreBack();
    const repeat = async () => await shipper.update(changeOf('A'), key('k1'));
    await until('it is taken up again', async () => (await repeat()).headers['idempotency-replayed'] === 'true');
    api.state.answering = accepts();
    return { answer: await repeat(), sent };
  };
  const change = async (shipper: Shipper, consignmentDetails: object) =>
    await shipper.update({ consignmentDetails: { referenceNumber: 'A', ...consignmentDetails } });

  describe('of an update that was cut short', () => {
    it('lays it over no later update', async () => {
      const { answer, sent } = await repeated(done(), async (shipper) => {
        expect((await change(shipper, { deliveryInstructions: 'Later' })).statusCode).toBe(200);
      });
      expect(answer.statusCode).toBe(200);
      expect(sent).toEqual(['create', 'update', 'update']);
    });

    it('sends nothing again that is held, though the order has changed since', async () => {
      const { sent } = await repeated(held('unknown_outcome'), async (shipper) => {
        expect((await change(shipper, { routingTags: ['later'] })).statusCode).toBe(200);
      });
      expect(sent).toEqual(['create', 'update']);
    });

    it('says that it was done, though it could not be any more', async () => {
      const { answer } = await repeated(done(), async () => {
        await api.database.pool.query(`update consignments set status = 'Out For Delivery'`);
      });
      expect(answer.statusCode).toBe(200);
    });

    it('gives the carrier’s refusal, and asks no second time', async () => {
      const { answer, sent } = await repeated(rejected('not any more'), async () => await Promise.resolve());
      expect(answer).toMatchObject({ statusCode: 422, data: { errors: ['not any more'] } });
      expect(sent).toEqual(['create', 'update']);
    });
  });

  it('is 400, not more, for a body that is nested beyond all bounds', async () => {
    const shipper = await api.newShipper();
    const payload = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const headers = { ...key('k1'), 'content-type': 'application/json' };
    expect((await shipper.create(payload, headers)).statusCode).toBe(400);
  });

  it.each(['', 'a b', 'ü', 'x'.repeat(256)])('is 400 when it is %j', async (value) => {
    const shipper = await api.newShipper();
    expect((await shipper.create(orderOf('A'), key(value))).statusCode).toBe(400);
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
        if (!isLosing || !sql.trimStart().startsWith('insert into idempotency_keys')) return result;
        isLosing = false;
        throw new Error('Connection terminated unexpectedly');
      };
    },
  });
  const api = apiUnderTest({ pool });

  it('is free for the next try at once', async () => {
    const shipper = await api.newShipper();
    isLosing = true;
    const create = async () => await shipper.create(orderOf('A'), key('k1'));
    expect((await create()).statusCode).toBe(503);
    expect((await create()).statusCode).toBe(200);
  });
});

import type { Pool } from 'pg';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { randomOf, shuffled } from '../../support/random.ts';
import { CONTRACT_TABLE, exampleCarrier } from '../../engine/statuses/carrier.ts';
import { statusWorld } from './status-world.ts';

const CODES = [...Object.keys(CONTRACT_TABLE).map((key) => key.split('/')[0] ?? ''), 'NOBODY_KNOWS_IT'];
const TIMES = 5;

/** What a carrier says of two packages and of both together: some of it at the same moment, some before it has numbers. */
const storyOf = (random: () => number): readonly StatusUpdate[] =>
  Array.from({ length: 3 + Math.floor(random() * 5) }, (_, at) => {
    const whom = Math.floor(random() * 3);
    const minute = Math.floor(random() * 6) * 10;
    return {
      ...(whom === 2 ? { type: 'Reference', value: 'R1' } : { type: 'Tracking', value: `T${whom + 1}` }),
      carrierStatusCode: CODES[Math.floor(random() * CODES.length)] ?? '',
      statusReceivedAt: `2026-05-01 10:${String(minute).padStart(2, '0')}:00`,
      ...(random() < 0.3 ? { extraInfo: { comments: `remark ${at}` } } : {}),
    };
  });

/**
 * Tells a consignment the story of this seed, each event five times, in two orders and in pushes of different sizes;
 * yields what differs, or undefined.
 */
export const differsByOrder = async (pool: Pool, seed: number): Promise<string | undefined> => {
  const random = randomOf(seed);
  const story = storyOf(random);
  const world = statusWorld(() => pool);
  const tellIn = async (carrierCode: string) => {
    world.carriers.set(carrierCode, exampleCarrier({ code: carrierCode }));
    const trackingNumbers = ['T1', 'T2'];
    const startsEarly = random() < 0.5;
    const id = await world.consignmentWith({
      reference: `R1`,
      carrierCode,
      packages: 2,
      orderNumber: `O-${carrierCode}`,
      ...(startsEarly ? {} : { trackingNumbers }),
    });
    const left = shuffled(Array.from({ length: TIMES }, () => story).flat(), random);
    let isNumbered = !startsEarly;
    while (left.length > 0) {
      const push = left.splice(0, 1 + Math.floor(random() * 10));
      await world.say(push, { carrierCode });
      if (!isNumbered && random() < 0.3) {
        await world.giveNumbers(id, trackingNumbers);
        await world.resume();
        isNumbered = true;
      }
    }
    if (!isNumbered) await world.giveNumbers(id, trackingNumbers);
    await world.resume();
    const { status, packages } = await world.get(id);
    const events = await world.count(`events where carrier_code = '${carrierCode}' and match = 'matched'`);
    await pool.query('delete from consignments where id = $1', [id]);
    return {
      events,
      status,
      packages: packages.map(({ position, status, reason, statusAtMs }) => ({ position, status, reason, statusAtMs })),
    };
  };
  const one = await tellIn(`one-${seed}`);
  const other = await tellIn(`other-${seed}`);
  const distinct = new Set(story.map((update) => JSON.stringify(update))).size;
  if (one.events !== distinct) return `seed ${seed}: ${one.events} events are recorded of ${distinct}`;
  return JSON.stringify(one) === JSON.stringify(other)
    ? undefined
    : `seed ${seed}: ${JSON.stringify(one)} in one order, ${JSON.stringify(other)} in another`;
};

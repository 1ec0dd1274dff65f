/** Releases slots at carriers that manage them, once they can no longer be used. */
import type { Pool } from 'pg';
import type { Ask } from '../api/deps.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { findAccountId } from '../records/accounts.ts';
import type { Log } from '../records/pool.ts';
import { noteAtCarrier, takeUnwanted, type Unwanted } from '../records/slots.ts';
import { type Loop, startLoop } from './loop.ts';

interface Releasing {
  readonly pool: Pool;
  readonly log: Log;
  readonly carrierOf: (code: string) => Carrier | undefined;
  readonly ask: Ask;
}

const LOOK_EVERY_MS = 2_000;
const BATCH = 20;
/** How long others leave one alone, and when one that failed is tried again. */
const AGAIN_MS = 60_000;

export const startSlotReleases = (deps: Releasing): Loop =>
  startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => await releaseUnwanted(deps),
    log: deps.log,
    failure: 'slots could not be given back to carriers; they are tried again',
  });

/** Yields whether there may be more. */
const releaseUnwanted = async (deps: Releasing): Promise<boolean> => {
  const unwanted = await takeUnwanted(deps.pool, BATCH, AGAIN_MS);
  await Promise.all(unwanted.map(async (one) => await release(deps, one)));
  return unwanted.length === BATCH;
};

/** What the carrier refuses to take back, or cannot, it does not hold for us. */
const release = async ({ pool, log, carrierOf, ask }: Releasing, unwanted: Unwanted): Promise<void> => {
  const { token, carrierCode, environment, booked } = unwanted;
  const carrier = carrierOf(carrierCode);
  const accountId = carrier && (await findAccountId(pool, unwanted));
  if (carrier !== undefined && accountId !== undefined) {
    const { slot } = booked;
    const asked = await ask('releaseSlot', { slot }, { carrier, accountId, environment });
    if (!asked.ok && asked.why !== 'not_offered' && asked.why !== 'rejected') {
      const { code, messages } = asked.problem;
      log.warn(
        { carrier: carrierCode, slot: slot.id, code, messages },
        'a slot could not be given back to its carrier',
      );
      return;
    }
  }
  await noteAtCarrier(pool, token, 'gone');
};

import type { Pool } from 'pg';
import type { Account, RecordedDispatch } from '../engine/dispatch/ports.ts';
import type { Engine } from '../engine/mapping/engine.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import { loadBundle, type ProfileBundle } from '../engine/profile/load.ts';
import { findAccountById } from '../platform/records/accounts.ts';
import { findProfileVersion } from '../platform/records/profiles.ts';
import { findRecordedDispatch } from '../platform/records/recorded-traffic.ts';
import type { Sealer } from '../platform/records/sealer.ts';
import { explainDispatch } from '../workbench/explain/explain-dispatch.ts';
import type { Explanation } from '../workbench/explain/explain-run.ts';
import { watchMappings } from '../workbench/explain/watch.ts';
import { Misuse, type Terminal, wholeNumber } from './command.ts';
import { carrierOf } from './home.ts';
import { sealerOf, withRecords } from './records.ts';

/** undefined: the carrier does not load, and why has been said. */
export const dispatchExplanation = async (text: string, terminal: Terminal): Promise<Explanation | undefined> => {
  const id = wholeNumber(text, 15, `--dispatch must be the number of a dispatch, not "${text}"`);
  return await withRecords(terminal, async (pool) => {
    let isLoaded = true;
    const carrierNow = (code: string, engine: Engine): Carrier | undefined => {
      const carrier = carrierOf(code, terminal, engine);
      isLoaded = carrier !== undefined;
      return carrier;
    };
    const explanation = await explainRecorded({ pool, sealer: await sealerOf(terminal) }, id, carrierNow);
    if (explanation === undefined && isLoaded) throw new Misuse(`there is no dispatch ${id}`);
    return explanation;
  });
};

/**
 * Explains by the version of the profile that the dispatch was performed with, or, where that is not kept or does not
 * compile, by the one of `carrierNow`, with a note. undefined: there is no such dispatch, or no such carrier.
 */
export const explainRecorded = async (
  { pool, sealer }: { readonly pool: Pool; readonly sealer: Sealer },
  id: number,
  carrierNow: (code: string, engine: Engine) => Carrier | undefined,
): Promise<Explanation | undefined> => {
  const dispatch = await findRecordedDispatch(pool, id);
  if (dispatch === undefined) return undefined;
  const { accountId, profileHash } = dispatch;
  const text = await findProfileVersion(pool, profileHash);
  const bundle = text === undefined ? undefined : (JSON.parse(text) as ProfileBundle);
  const account = accountId === undefined ? undefined : await findAccountById(pool, sealer, accountId);
  const watch = watchMappings();
  const kept = bundle === undefined ? undefined : loadBundle(bundle, watch.engine).carrier;
  const carrier = kept ?? carrierNow(dispatch.carrierCode, watch.engine);
  if (carrier === undefined) return undefined;
  const explanation = await explainDispatch(dispatch, carrier, account ?? nobody(dispatch), watch);
  const notes = [
    ...(kept === undefined ? otherVersion(carrier, dispatch, bundle) : []),
    ...(account === undefined ? ['the account is gone: what is made of its credentials and settings is missing'] : []),
  ];
  return { ...explanation, notes: [...notes, ...(explanation.notes ?? [])] };
};

const nobody = ({ accountId = 0 }: RecordedDispatch): Account => ({
  id: accountId,
  version: 0,
  credentials: {},
  settings: {},
});

const otherVersion = (carrier: Carrier, { profileHash }: RecordedDispatch, bundle: ProfileBundle | undefined) => {
  if (carrier.hash === profileHash) return [];
  const why = bundle === undefined ? 'is not kept' : 'no longer compiles';
  return [`version ${profileHash}, which it was performed with, ${why}: this is what the one on disk does`];
};

import type { Account, RecordedDispatch } from '../engine/dispatch/ports.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import { loadBundle, type ProfileBundle } from '../engine/profile/load.ts';
import { findAccountById } from '../platform/records/accounts.ts';
import { findProfileVersion } from '../platform/records/profiles.ts';
import { findRecordedDispatch } from '../platform/records/recorded-traffic.ts';
import { explainDispatch } from '../workbench/explain/explain-dispatch.ts';
import type { Explanation } from '../workbench/explain/explain-run.ts';
import { watchMappings } from '../workbench/explain/watch.ts';
import { Misuse, type Terminal, wholeNumber } from './command.ts';
import { carrierOf } from './home.ts';
import { sealerOf, withRecords } from './records.ts';

/** undefined: the carrier does not load, and why has been said. */
export const dispatchExplanation = async (text: string, terminal: Terminal): Promise<Explanation | undefined> => {
  const id = wholeNumber(text, 15, `--dispatch must be the number of a dispatch, not "${text}"`);
  const { dispatch, account, bundle } = await findDispatch(id, terminal);
  const watch = watchMappings();
  // The version of then; where it is not to be had, the one on disk, which is said.
  const kept = bundle === undefined ? undefined : loadBundle(bundle, watch.engine).carrier;
  const carrier = kept ?? carrierOf(dispatch.carrierCode, terminal, watch.engine);
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

const findDispatch = async (id: number, terminal: Terminal) =>
  await withRecords(terminal, async (pool) => {
    const dispatch = await findRecordedDispatch(pool, id);
    if (dispatch === undefined) throw new Misuse(`there is no dispatch ${id}`);
    const { accountId, profileHash } = dispatch;
    const text = await findProfileVersion(pool, profileHash);
    return {
      dispatch,
      account: accountId === undefined ? undefined : await findAccountById(pool, await sealerOf(terminal), accountId),
      /** The texts of the version it was performed with. */
      bundle: text === undefined ? undefined : (JSON.parse(text) as ProfileBundle),
    };
  });

import type { Pool } from 'pg';
import type { Account, RecordedDispatch } from '../engine/dispatch/ports.ts';
import type { Explanation } from '../workbench/explain/explain-exchange.ts';
import type { Engine } from '../engine/mapping/engine.ts';
import type { Evaluation } from '../engine/mapping/tracing-engine.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import type { ProfileBundle } from '../engine/profile/load.ts';
import { Misuse, type Terminal } from './command.ts';
import { carrierOf } from './load-carrier.ts';

interface Recorded {
  readonly dispatch: RecordedDispatch;
  readonly account: Account | undefined;
  /** The texts of the version it was performed with. */
  readonly bundle: ProfileBundle | undefined;
}

/** undefined: the carrier does not load, and why has been said. */
export const dispatchExplanation = async (text: string, terminal: Terminal): Promise<Explanation | undefined> => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Misuse(`--dispatch must be the number of a dispatch, not "${text}"`);
  const { withRecords } = await import('./records.ts');
  const { explainDispatch } = await import('../workbench/explain/explain-dispatch.ts');
  const { tracingEngine } = await import('../engine/mapping/tracing-engine.ts');
  const recorded = await withRecords(terminal, async (pool) => await read(pool, Number(text), terminal));
  const evaluations: Evaluation[] = [];
  const engine = tracingEngine({ evaluated: (one) => evaluations.push(one) });
  const found = await versionOf(recorded, engine, terminal);
  if (found === undefined) return undefined;
  const { dispatch, account } = recorded;
  const notes = [
    ...found.notes,
    ...(account === undefined ? ['the account is gone: what is made of its credentials and settings is missing'] : []),
  ];
  const none = { id: dispatch.accountId ?? 0, version: 0, credentials: {}, settings: {} };
  const explanation = await explainDispatch(dispatch, found.carrier, account ?? none, evaluations);
  return { ...explanation, notes: [...notes, ...(explanation.notes ?? [])] };
};

const read = async (pool: Pool, id: number, terminal: Terminal): Promise<Recorded> => {
  const { findAccountById } = await import('../platform/records/accounts.ts');
  const { findProfileVersion } = await import('../platform/records/profiles.ts');
  const { findRecordedDispatch } = await import('../platform/records/recorded-traffic.ts');
  const { sealerOf } = await import('./records.ts');
  const dispatch = await findRecordedDispatch(pool, id);
  if (dispatch === undefined) throw new Misuse(`there is no dispatch ${id}`);
  const { operation, state, accountId, exchanges, profileHash } = dispatch;
  if (exchanges.length === 0) {
    throw new Misuse(
      `dispatch ${id} (${operation}, ${state}) has no exchanges: the carrier was not asked yet, or they are deleted`,
    );
  }
  const text = await findProfileVersion(pool, profileHash);
  return {
    dispatch,
    account: accountId === undefined ? undefined : await findAccountById(pool, await sealerOf(terminal), accountId),
    bundle: text === undefined ? undefined : (JSON.parse(text) as ProfileBundle),
  };
};

/** The version of then; where it is not to be had, the one on disk, which is said. */
const versionOf = async (
  { dispatch, bundle }: Recorded,
  engine: Engine,
  terminal: Terminal,
): Promise<{ readonly carrier: Carrier; readonly notes: readonly string[] } | undefined> => {
  const { loadBundle } = await import('../engine/profile/load.ts');
  const kept = bundle === undefined ? undefined : loadBundle(bundle, engine).carrier;
  if (kept !== undefined) return { carrier: kept, notes: [] };
  const carrier = await carrierOf(dispatch.carrierCode, terminal, engine);
  if (carrier === undefined || carrier.hash === dispatch.profileHash) return carrier && { carrier, notes: [] };
  const why = bundle === undefined ? 'is not kept' : 'no longer compiles';
  return {
    carrier,
    notes: [`version ${dispatch.profileHash}, which it was performed with, ${why}: this is what the one on disk does`],
  };
};

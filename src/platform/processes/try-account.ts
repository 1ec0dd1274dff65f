/** Sends one create to a carrier with an account of the sandbox, for an operator who says so. */
import { createMemoryLog } from '../../engine/dispatch/attempt-log.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import type { Exchange, Inputs, RunOutcome } from '../../engine/dispatch/ports.ts';
import { findAccountEntry } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { findShipperById } from '../records/shippers.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';
import type { Platform } from './platform.ts';

type TriedAccount =
  /** There is no active sandbox account of that carrier with this id. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'possible'; readonly shipper: string; readonly baseUrl: string | undefined }
  | {
      readonly kind: 'tried';
      readonly shipper: string;
      readonly outcome: RunOutcome;
      readonly asked: readonly Exchange[];
    };

interface Trying extends Pick<Platform, 'pool' | 'sealer'> {
  readonly calls: Pick<CarrierCalls, 'ports' | 'noteExchange' | 'takeFromSequence'>;
  readonly carriers: Pick<Platform['carriers'], 'find'>;
}

/** `inputs` undefined: nothing is sent. Noted with what came of it. */
export const tryAccount = async (
  { pool, sealer, carriers, calls }: Trying,
  { id, carrierCode }: { readonly id: number; readonly carrierCode: string },
  inputs: Inputs | undefined,
  actor: string,
): Promise<TriedAccount> => {
  const entry = await findAccountEntry(pool, sealer, id);
  const carrier = carriers.find(carrierCode);
  const operation = carrier?.operations.create;
  if (entry?.state !== 'active' || entry.key.carrierCode !== carrierCode || entry.key.environment !== 'sandbox')
    return { kind: 'unknown' };
  if (carrier === undefined || operation === undefined) return { kind: 'unknown' };
  const shipper = (await findShipperById(pool, entry.key.shipperId))?.code ?? '';
  if (inputs === undefined) return { kind: 'possible', shipper, baseUrl: entry.account.baseUrl };
  const { account } = entry;
  const { run, ports } = prepareCall(calls, { carrier, operation, environment: 'sandbox', account, inputs });
  const asked: Exchange[] = [];
  const noteExchange = async (exchange: Exchange): Promise<void> => {
    asked.push(exchange);
    await ports.noteExchange(exchange);
  };
  const attemptLog = createMemoryLog(noteExchange, calls.takeFromSequence(id));
  const outcome = await runOperation(run, { ...ports, noteExchange, attemptLog });
  await recordAudit(pool, { actor, action: 'try_account', subject: `account:${id}`, detail: outcome.kind });
  return { kind: 'tried', shipper, outcome, asked };
};

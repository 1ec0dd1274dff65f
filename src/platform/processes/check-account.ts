/** Checks the credentials of an account with its carrier, for operators. */
import { randomUUID } from 'node:crypto';
import type { CheckedAccount } from '../api/deps.ts';
import { createMemoryLog } from '../../engine/dispatch/attempt-log.ts';
import { checkCredentials } from '../../engine/dispatch/check-credentials.ts';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import { Failure, problem } from '../../engine/failure.ts';
import { findAccountEntry } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import type { CarrierCalls } from './carrier-calls.ts';
import type { Platform } from './platform.ts';

interface Checking extends Pick<Platform, 'pool' | 'sealer'> {
  readonly calls: Pick<CarrierCalls, 'ports'>;
  readonly carriers: Pick<Platform['carriers'], 'find'>;
}

/** Logs in anew, within the carrier's limits; noted with what came of it. Undefined: there is no such account or carrier. */
export const verifyAccount = async (
  { pool, sealer, carriers, calls: { ports } }: Checking,
  accountId: number,
  actor: string,
): Promise<CheckedAccount | undefined> => {
  const asked: Exchange[] = [];
  const check = async (): Promise<CheckedAccount | undefined> => {
    const entry = await findAccountEntry(pool, sealer, accountId);
    const carrier = entry && carriers.find(entry.key.carrierCode);
    if (entry === undefined || carrier === undefined || entry.state === 'deleted') return undefined;
    const noteExchange = (exchange: Exchange): Promise<void> => Promise.resolve(void asked.push(exchange));
    const { account, key } = entry;
    const { environment } = key;
    const checked = await checkCredentials(
      { seed: randomUUID(), carrier, environment, account, nowMs: ports.nowMs() },
      { ...ports, tokens: createMemoryTokens(ports.nowMs), noteExchange, attemptLog: createMemoryLog(noteExchange) },
    );
    return { ...checked, asked };
  };
  const checked = await check().catch((thrown: unknown): CheckedAccount => {
    if (!(thrown instanceof Failure)) throw thrown;
    return { kind: 'unclear', problem: problem(thrown.code, thrown.describe()), asked };
  });
  if (checked !== undefined)
    await recordAudit(pool, {
      actor,
      action: 'check_credentials',
      subject: `account:${accountId}`,
      detail: checked.kind,
    });
  return checked;
};

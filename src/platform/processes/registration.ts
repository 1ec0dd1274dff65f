/** Registers our webhook with a carrier, and unregisters it: the profile’s `register` and `unregister`. */
import type { Pool, PoolClient } from 'pg';
import type { Registered } from '../api/deps.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { Failure, type Problem, problem } from '../../engine/failure.ts';
import { checkAccount } from '../../engine/profile/account.ts';
import { findAccountEntry, lockKeptAccount, saveAccount } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { forget } from '../records/cache.ts';
import { recordExchange } from '../records/exchanges.ts';
import { transaction } from '../records/pool.ts';
import { takeFromSequences } from '../records/sequences.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';
import { webhookUrl } from './pushed-events.ts';
import type { Platform } from './platform.ts';

/** What of the platform is needed here. */
interface Registering extends Pick<Platform, 'pool' | 'sealer' | 'publicUrl'> {
  readonly calls: Pick<CarrierCalls, 'ports'>;
  readonly carriers: Pick<Platform['carriers'], 'find'>;
}

/**
 * Runs `register` or `unregister` for an account; what a register yields is kept in the account, sealed as the rest.
 * Every try is noted, with what came of it unless all is well.
 */
export const registerAccount = async (
  platform: Registering,
  accountId: number,
  operationName: 'register' | 'unregister',
  actor: string,
): Promise<Registered> => {
  const { pool, sealer, carriers, publicUrl } = platform;
  const note = async (client: Pool | PoolClient, detail?: string): Promise<void> =>
    await recordAudit(client, { actor, action: operationName, subject: `account:${accountId}`, detail });
  const failed = async (outcome: string, reason: Problem): Promise<Registered> => {
    await note(pool, `${outcome}: ${reason.code}`);
    return { kind: 'failed', problem: reason };
  };

  const entry = await findAccountEntry(pool, sealer, accountId).catch((thrown: unknown) => {
    if (thrown instanceof Failure) return problem(thrown.code, thrown.message);
    throw thrown;
  });
  if (entry === undefined) return { kind: 'unknown' };
  if ('messages' in entry) return await failed('config_error', entry);
  const { key, account } = entry;
  const carrier = carriers.find(key.carrierCode);
  if (carrier === undefined) return { kind: 'unknown' };
  const operation = carrier.operations[operationName];
  if (operation === undefined) return { kind: 'not_offered' };
  const url = webhookUrl(publicUrl, carrier.code, accountId);
  const inputs = { webhook: { url } };
  const call = prepareCall(callsOf(platform), { carrier, operation, environment: key.environment, account, inputs });
  try {
    const outcome = await runOperation(call.run, call.ports);
    if (outcome.kind !== 'done')
      return await failed(outcome.kind === 'held' ? outcome.why : outcome.kind, outcome.problem);
    const misfit = await transaction(pool, async (client) => {
      if (operationName === 'register') {
        // Anew, for an operator may have saved other values while the carrier was asked.
        const kept = await lockKeptAccount(client, sealer, key);
        const given = (outcome.result ?? {}) as Partial<typeof kept>;
        const checked = checkAccount(carrier, key.environment, {
          credentials: { ...kept?.credentials, ...given?.credentials },
          settings: { ...kept?.settings, ...given?.settings },
        });
        if (!checked.ok) return problem('result_invalid', checked.issues, operation.result?.place);
        await saveAccount(client, sealer, key, checked);
      }
      await note(client);
      return undefined;
    });
    forget(pool, 'accounts', accountId);
    return misfit === undefined ? { kind: 'done', webhookUrl: url } : await failed('unknown_outcome', misfit);
  } catch (thrown) {
    // The carrier may have been asked. What was thrown says more than why it cannot be noted.
    await note(pool, 'unknown_outcome').catch(() => undefined);
    throw thrown;
  }
};

const callsOf = ({ pool, calls: { ports } }: Registering): Parameters<typeof prepareCall>[0] => ({
  ports,
  // What a carrier tells us here may be a secret: such exchanges are kept without bodies.
  noteExchange: (context) => async (exchange) =>
    await recordExchange(pool, context, { ...exchange, requestBody: undefined, responseBody: undefined }),
  takeFromSequence: takeFromSequences(pool),
});

/** Announces our webhook at a carrier, and takes it back: the profile's `register` and `unregister`. */
import type { Pool, PoolClient } from 'pg';
import type { Registered } from '../api/deps.ts';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { Failure, type Problem, problem } from '../../engine/failure.ts';
import { checkAccount } from '../../engine/profile/account.ts';
import type { Carrier, EnvironmentName } from '../../engine/profile/carrier.ts';
import { type AccountEntry, findAccountEntry, lockKeptAccount, saveAccount } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { type ExchangeContext, recordExchange } from '../records/exchanges.ts';
import { transaction } from '../records/pool.ts';
import { takeFromSequences } from '../records/attempt-log.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';
import { webhookUrl } from './carrier-webhooks.ts';
import type { Platform } from './platform.ts';

/** What of the platform is needed here. */
interface Registering extends Pick<Platform, 'pool' | 'sealer' | 'publicUrl'> {
  readonly calls: Pick<CarrierCalls, 'ports'>;
  readonly carriers: Pick<Platform['carriers'], 'find'>;
}

interface AccountValues {
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Runs `register` or `unregister` for an account; what a register yields is kept in the account, sealed as the rest.
 * Every try is noted, with what came of it unless all is well.
 */
export const registerAccount = async (
  platform: Registering,
  accountId: number,
  operationName: 'register' | 'unregister',
): Promise<Registered> => {
  const { pool, sealer, carriers, publicUrl } = platform;
  const note = async (client: Pool | PoolClient, detail?: string): Promise<void> =>
    await recordAudit(client, { actor: 'admin', action: operationName, subject: `account:${accountId}`, detail });
  const failed = async (word: string, reason: Problem): Promise<Registered> => {
    await note(pool, `${word}: ${reason.code}`);
    return { kind: 'failed', problem: reason };
  };

  const entry = await findAccountEntry(pool, sealer, accountId).catch((thrown: unknown) => {
    if (thrown instanceof Failure) return problem(thrown.code, thrown.message);
    throw thrown;
  });
  if (entry !== undefined && 'messages' in entry) return await failed('config_error', entry);
  const carrier = entry === undefined ? undefined : carriers.find(entry.key.carrierCode);
  if (entry === undefined || carrier === undefined) return { kind: 'unknown' };
  if (carrier.operations[operationName] === undefined) return { kind: 'not_offered' };
  const url = webhookUrl(publicUrl, carrier.code, accountId);
  try {
    const outcome = await run(platform, carrier, entry, { operationName, url });
    if (outcome.kind !== 'done')
      return await failed(outcome.kind === 'held' ? outcome.why : outcome.kind, outcome.problem);
    const misfit = await transaction(pool, async (client) => {
      if (operationName === 'register') {
        // Anew, for an operator may have saved other values while the carrier was asked.
        const kept = await lockKeptAccount(client, sealer, entry.key);
        const values = valuesWith(carrier, entry.key.environment, kept, outcome.result);
        if ('messages' in values) return values;
        await saveAccount(client, sealer, entry.key, values);
      }
      await note(client);
      return undefined;
    });
    return misfit === undefined ? { kind: 'done', webhookUrl: url } : await failed('unknown_outcome', misfit);
  } catch (thrown) {
    // The carrier may have been asked. What was thrown says more than why it cannot be noted.
    await note(pool, 'unknown_outcome').catch(() => undefined);
    throw thrown;
  }
};

const run = async (
  { pool, calls: { ports } }: Registering,
  carrier: Carrier,
  { key, account }: AccountEntry,
  { operationName, url }: { readonly operationName: 'register' | 'unregister'; readonly url: string },
) => {
  const operation = carrier.operations[operationName];
  if (operation === undefined) throw new Error(`${carrier.code} lost its ${operationName}`);
  const calls = {
    ports,
    // What a carrier tells us here may be a secret: such exchanges are kept without bodies.
    noteExchange: (context: ExchangeContext) => async (exchange: Exchange) =>
      await recordExchange(pool, context, { ...exchange, requestBody: undefined, responseBody: undefined }),
    takeFromSequence: takeFromSequences(pool),
  };
  const { environment } = key;
  const call = prepareCall(calls, { carrier, operation, environment, account, inputs: { webhook: { url } } });
  return await runOperation(call.run, call.ports);
};

/** The account with what the carrier gave, or why that does not fit. */
const valuesWith = (
  carrier: Carrier,
  environment: EnvironmentName,
  kept: Partial<AccountValues> | undefined,
  result: unknown,
) => {
  const given = (result ?? {}) as Partial<AccountValues>;
  const checked = checkAccount(carrier, environment, {
    credentials: { ...kept?.credentials, ...given.credentials },
    settings: { ...kept?.settings, ...given.settings },
  });
  if (checked.ok) return checked;
  return problem('result_invalid', checked.issues, carrier.operations.register?.result?.place);
};

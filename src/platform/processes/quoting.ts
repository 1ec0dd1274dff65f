/** Asks carriers for shippers who wait, without a dispatch; equal questions for prices share one answer for a while. */
import { randomUUID } from 'node:crypto';
import { ask } from '../../engine/ask/ask.ts';
import { sha256 } from '../../engine/digest.ts';
import type { Account } from '../../engine/dispatch/ports.ts';
import type { Ask, AskedCarrier, Quotes } from '../api/deps.ts';
import { problem } from '../../engine/failure.ts';
import { quote, type Quoted } from '../../engine/rates/quote.ts';
import { type CarrierCalls, portsFor } from './carrier-calls.ts';

const KEPT_MS = 300_000;
const KEPT_MAX = 2_000;

const GONE = problem('account_missing', 'the account is gone or disabled');

/** What a question that belongs to no dispatch is asked with; undefined: the account is gone. */
const askingOf = async (calls: CarrierCalls, { carrier, accountId, environment }: AskedCarrier) => {
  const account: Account | undefined = await calls.accountOf(accountId);
  if (account === undefined) return undefined;
  const ports = portsFor(calls, { carrier, environment, account });
  return { carrier, account, environment, seed: randomUUID(), nowMs: calls.ports.nowMs(), ports };
};

export const createAsk =
  (calls: CarrierCalls): Ask =>
  async (name, about, whom) => {
    const asking = await askingOf(calls, whom);
    return asking === undefined ? { ok: false, why: 'config_error', problem: GONE } : await ask(name, about, asking);
  };

/** What comes of a question, or came of it a few minutes ago. What failed is asked anew. */
export const createQuotes = (calls: CarrierCalls): Quotes => {
  const kept = new Map<string, { readonly askedAtMs: number; readonly asking: Promise<Quoted> }>();
  const { nowMs } = calls.ports;
  const askNow = async ({ consignment, service, ...whom }: Parameters<Quotes>[0]): Promise<Quoted> => {
    const asking = await askingOf(calls, whom);
    if (asking === undefined) return { failed: GONE };
    const { carrier, account, ...context } = asking;
    return await quote(carrier, account, { ...consignment }, { ...context, service });
  };
  return async (quoting) => {
    const { carrier, accountId, consignment, service } = quoting;
    const key = sha256(JSON.stringify([carrier.hash, accountId, service?.name, consignment])).toString('base64');
    const known = kept.get(key);
    if (known !== undefined && nowMs() - known.askedAtMs < KEPT_MS)
      return { quoted: await known.asking, askedAtMs: known.askedAtMs };
    const entry = { askedAtMs: nowMs(), asking: askNow(quoting) };
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    const forget = (): void => void (kept.get(key) === entry && kept.delete(key));
    try {
      const quoted = await entry.asking;
      if ('failed' in quoted) forget();
      return { quoted, askedAtMs: entry.askedAtMs };
    } catch (thrown) {
      forget();
      throw thrown;
    }
  };
};

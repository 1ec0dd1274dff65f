/** Asking carriers for prices: equal questions are asked once in a while. */
import { randomUUID } from 'node:crypto';
import { sha256 } from '../../engine/digest.ts';
import type { Quotes } from '../api/deps.ts';
import { problem } from '../../engine/failure.ts';
import { quote, type Quoted } from '../../engine/rates/quote.ts';
import { type CarrierCalls, portsFor } from './carrier-calls.ts';

const KEPT_MS = 300_000;
const KEPT_MAX = 2_000;

/** What comes of a question, or came of it a few minutes ago. What failed is asked anew. */
export const createQuotes = (calls: CarrierCalls): Quotes => {
  const kept = new Map<string, { readonly askedAtMs: number; readonly asking: Promise<Quoted> }>();
  const { nowMs } = calls.ports;
  const ask = async ({
    carrier,
    accountId,
    environment,
    consignment,
    service,
  }: Parameters<Quotes>[0]): Promise<Quoted> => {
    const account = await calls.accountOf(accountId);
    if (account === undefined) return { failed: problem('account_missing', 'the account is gone or disabled') };
    const ports = portsFor(calls, { carrier, environment, account });
    const context = { environment, seed: randomUUID(), nowMs: nowMs(), ports, service };
    return await quote(carrier, account, { ...consignment }, context);
  };
  return async (quoting) => {
    const { carrier, accountId, consignment, service } = quoting;
    const key = sha256(JSON.stringify([carrier.hash, accountId, service?.name, consignment])).toString('base64');
    const known = kept.get(key);
    if (known !== undefined && nowMs() - known.askedAtMs < KEPT_MS)
      return { quoted: await known.asking, askedAtMs: known.askedAtMs };
    const entry = { askedAtMs: nowMs(), asking: ask(quoting) };
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

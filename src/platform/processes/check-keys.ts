import type { Pool } from 'pg';
import { Failure } from '../../engine/failure.ts';
import { keyName, type Sealer } from '../records/sealer.ts';
import { findUnknownKeys } from '../records/reseal.ts';
import type { Config } from './config.ts';

/**
 * Throws a `Failure` when the records hold secrets of a key that is not configured: with a wrong key each dispatch
 * would say so by itself. Keys that are known to be lost are let pass.
 */
export const checkKeys = async (pool: Pool, sealer: Sealer, { lostSecretKeys }: Config): Promise<void> => {
  const unknown = [...(await findUnknownKeys(pool, sealer))].filter(([name]) => !lostSecretKeys.includes(name));
  if (unknown.length === 0) return;
  const held = unknown.map(([name, counts]) => {
    const values = Object.entries(counts).map(([column, count]) => `${count} ${column}`);
    return `key ${name} (${values.join(', ')})`;
  });
  throw new Failure(`the records hold secrets of a key that is not configured: ${held.join('; ')}`, {
    code: 'secret_key_unknown',
    help:
      `WAYBILL_SECRET_KEY is key ${keyName(sealer.mark)}: is it the right one? One used before belongs into ` +
      'WAYBILL_SECRET_KEYS_OLD. Of one that is lost, put the name into WAYBILL_SECRET_KEYS_LOST, and save the ' +
      'accounts and subscriptions anew',
  });
};

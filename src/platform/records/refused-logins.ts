/** Logins that carriers refused, of accounts as they are now: none is tried again until its account or profile is changed. */
import type { Pool } from 'pg';
import { isOfVersion } from './accounts.ts';
import { countRows, matching, queryAll, sql } from './sql.ts';

export interface RefusedLogin {
  readonly key: string;
  readonly account: number;
  readonly shipper: string;
  readonly carrierCode: string;
  readonly environment: string;
  readonly auth: string;
  readonly code: string;
  readonly refusedAt: Date;
}

/** The parts of `tokenKey`. */
const REFUSED = sql`carrier_tokens t join accounts a
    on a.id::text = split_part(key, '/', 2)
      and ${isOfVersion(sql`a.version`, sql`split_part(key, '/', 4)::numeric`)}
  where refused is not null`;

export const listRefusedLogins = async (
  pool: Pool,
  {
    after,
    carrierCode,
    limit,
  }: { readonly after: string | undefined; readonly carrierCode: string | undefined; readonly limit: number },
): Promise<readonly RefusedLogin[]> =>
  await queryAll<RefusedLogin>(pool)`
    select key, a.id as account, (select code from shippers where id = shipper_id) as shipper, carrier_code, environment,
      split_part(key, '/', 5) as auth, refused::json #>> '{problem,code}' as code, fetched_at as refused_at
    from ${REFUSED} and ${matching({ 'key >': after, 'carrier_code =': carrierCode })} order by key limit ${limit}`;

export const countRefusedLogins = async (pool: Pool): Promise<number> => await countRows(pool, REFUSED);

import type { Pool } from 'pg';

type Leased = 'dispatches' | 'deliveries' | 'labels' | 'carrier_tokens';

/** As if so much time had passed for all leases of a table: they run on PostgreSQL's clock, which no test can move. */
export const ageLeases = async (pool: Pool, table: Leased, byMs: number): Promise<void> => {
  await pool.query(
    `update ${table} set lease_until = lease_until - $1 * interval '1 millisecond' where lease_until is not null`,
    [byMs],
  );
};

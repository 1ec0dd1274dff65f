import type { Pool } from 'pg';

/** Names this installation, for what it shares with others, such as a Redis: 8 hex digits. */
export const getInstallation = async (pool: Pool): Promise<string> => {
  const { rows } = await pool.query<{ id: string }>('select id from installation');
  if (rows[0] === undefined) throw new Error('the installation has no name');
  return rows[0].id.slice(0, 8);
};

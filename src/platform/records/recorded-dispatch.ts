import type { Pool } from 'pg';
import type { Inputs, RecordedDispatch } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { EXCHANGE_COLUMNS, exchangeOf, type WrittenExchange } from './exchanges.ts';

interface DispatchRow {
  id: number;
  operation: OperationName;
  state: string;
  carrier_code: string;
  profile_hash: string;
  environment: EnvironmentName;
  account_id: number | null;
  seed: string;
  input: string;
  started_at: Date | null;
  created_at: Date;
}

/** A dispatch of more than these is explained as far as they go. */
const EXCHANGES_MAX = 1_000;

/** A dispatch with all that is recorded of it. */
export const findRecordedDispatch = async (pool: Pool, id: number): Promise<RecordedDispatch | undefined> => {
  const { rows } = await pool.query<DispatchRow>(
    `select d.id, d.operation, d.state, c.carrier_code, d.profile_hash, c.environment, d.account_id, d.seed, d.input,
       d.started_at, d.created_at
     from dispatches d join consignments c on c.id = d.consignment_id where d.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const drawn = await pool.query<{ key: string; value: string }>(
    'select key, value from draws where dispatch_id = $1',
    [id],
  );
  const exchanges = await pool.query<WrittenExchange>(
    `select ${EXCHANGE_COLUMNS} from exchanges where dispatch_id = $1 order by id limit $2`,
    [id, EXCHANGES_MAX],
  );
  return {
    id: row.id,
    operation: row.operation,
    state: row.state,
    carrierCode: row.carrier_code,
    profileHash: row.profile_hash,
    environment: row.environment,
    accountId: row.account_id ?? undefined,
    seed: row.seed,
    inputs: JSON.parse(row.input) as Inputs,
    startedAtMs: (row.started_at ?? row.created_at).getTime(),
    draws: new Map(drawn.rows.map(({ key, value }) => [key, value])),
    exchanges: exchanges.rows.map(exchangeOf),
  };
};

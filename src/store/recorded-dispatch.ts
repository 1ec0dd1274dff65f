import type { Pool } from 'pg';
import type { Exchange, Inputs } from '../dispatch/ports.ts';
import type { RecordedDispatch } from '../explain/explain-dispatch.ts';
import type { EnvironmentName, OperationName } from '../profile/carrier.ts';

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

interface ExchangeRow {
  operation: string;
  step: string;
  element: number;
  attempt: number;
  at: Date;
  duration_ms: number;
  method: string;
  url: string;
  request_headers: string;
  request_body: Buffer | null;
  status: number | null;
  response_headers: string | null;
  response_body: Buffer | null;
  outcome: string;
  message: string | null;
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
  const exchanges = await pool.query<ExchangeRow>(
    `select operation, step, element, attempt, at, duration_ms, method, url, request_headers, request_body, status,
       response_headers, response_body, outcome, message
     from exchanges where dispatch_id = $1 order by id limit $2`,
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

type Headers = Readonly<Record<string, string>>;

const exchangeOf = (row: ExchangeRow): Exchange => ({
  operation: row.operation,
  step: row.step,
  element: row.element,
  attempt: row.attempt,
  atMs: row.at.getTime(),
  durationMs: row.duration_ms,
  method: row.method,
  url: row.url,
  requestHeaders: JSON.parse(row.request_headers) as Headers,
  requestBody: row.request_body ?? undefined,
  status: row.status ?? undefined,
  responseHeaders: row.response_headers === null ? undefined : (JSON.parse(row.response_headers) as Headers),
  responseBody: row.response_body ?? undefined,
  outcome: row.outcome,
  message: row.message ?? undefined,
});

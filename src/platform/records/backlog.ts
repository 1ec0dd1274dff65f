/** The unfinished work of all queues, for operators. */
import type { Pool } from 'pg';
import { OF_DISPATCH } from './errands.ts';
import { queryAll, sql } from './sql.ts';

export const QUEUES = ['dispatches', 'deliveries', 'labels', 'pushes'] as const;

export interface Backlog {
  readonly queue: (typeof QUEUES)[number];
  /** Undefined: of shippers' webhooks. */
  readonly carrier: string | undefined;
  readonly state: string;
  readonly count: number;
  /** How many could be taken up now. */
  readonly due: number;
  readonly oldestDueAtMs: number | undefined;
}

const COUNTED = sql`count(*) as count, count(*) filter (where due_at <= now()) as due, min(due_at) as oldest_due_at_ms`;

/** By queue, carrier and state; each is counted by the index of what is unfinished. */
export const listBacklog = async (pool: Pool): Promise<readonly Backlog[]> =>
  await queryAll<Backlog>(pool)`
    select 'dispatches' as queue, carrier_code as carrier, d.state, ${COUNTED}
    from dispatches d ${OF_DISPATCH}
    where d.state in ('pending', 'sending', 'waiting') group by 2, 3
    union all select 'labels', carrier_code, l.state, ${COUNTED}
    from labels l join consignments c on c.id = l.consignment_id where l.state = 'pending' group by 2, 3
    union all select 'pushes', carrier_code, state, ${COUNTED} from pushes where due_at is not null group by 2, 3
    union all select 'deliveries', null, state, ${COUNTED}
    from deliveries where state in ('pending', 'waiting') group by 3
    union all select 'deliveries', null, state, ${COUNTED} from deliveries where state = 'sending' group by 3
    order by 1, 2, 3`;

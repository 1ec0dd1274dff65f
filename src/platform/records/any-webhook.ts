/** Webhook subscriptions of all shippers, for operators, and the owner of a delivery or redelivery. */
import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import type { Owner } from './shippers.ts';
import type { Subscription } from './subscriptions.ts';
import { type Filter, matching, queryAll, queryFirst } from './sql.ts';

export interface AnyWebhook extends Subscription {
  readonly shipper: string;
  readonly environment: EnvironmentName;
}

interface WebhookQuery extends Filter<AnyWebhook, 'shipper' | 'environment' | 'state'> {
  readonly afterId?: string | undefined;
  readonly limit: number;
}

/** By their ids, which say nothing. */
export const listWebhooks = async (
  pool: Pool,
  { shipper, environment, state, afterId, limit }: WebhookQuery,
): Promise<readonly AnyWebhook[]> =>
  await queryAll<AnyWebhook>(pool)`
    select s.id, s.url, s.order_types, s.state, s.pause_reason, s.paused_at as paused_at_ms,
      s.failing_since as failing_since_ms, s.created_at as created_at_ms, s.environment, shippers.code as shipper
    from subscriptions s join shippers on shippers.id = s.shipper_id
    where ${matching({ 'code =': shipper, 's.environment =': environment, 's.state =': state, 's.id >': afterId })}
    order by s.id limit ${limit}`;

/** Whose a thing is. Undefined: there is none, or a webhook of a shipper that was deleted, which stays paused. */
export const ownerOf = async (
  pool: Pool,
  kind: 'webhook' | 'delivery' | 'redelivery',
  id: string | number,
): Promise<Owner | undefined> => {
  switch (kind) {
    case 'webhook':
      return await queryFirst<Owner>(pool)`
        select shipper_id, environment from subscriptions s join shippers on shippers.id = s.shipper_id
        where s.id = ${id} and shippers.state <> 'deleted'`;
    case 'delivery':
      return await queryFirst<Owner>(pool)`
        select s.shipper_id, s.environment from deliveries d join subscriptions s on s.id = d.subscription_id
        where d.id = ${id}`;
    case 'redelivery':
      return await queryFirst<Owner>(pool)`select shipper_id, environment from redeliveries where id = ${id}`;
  }
};

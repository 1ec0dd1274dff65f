import { isDispatched, type NormalisedStatus, NO_CHANGE, stageOf } from '../../statuses/status.ts';
import { valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/**
 * missing-terminal: no row says that a parcel was delivered, so that it is asked about until it is too old.
 * lifecycle-gap: a parcel is delivered that never began to move, so that until then it could be changed and cancelled;
 * a return that begins and never ends.
 */
export const lifecycle: Rule = ({ carrier, profile, findings }) => {
  const table = valueOf(valueOf(profile, 'statuses'), 'table');
  const reached = new Set(carrier.statuses.table.map(({ status }) => status));
  if (carrier.abstract || table === undefined || reached.size === 0) return;
  const say = (message: string, help: string): void => findings.warning('lifecycle-gap', table.place, message, help);
  if (!reached.has('Order Delivered')) {
    const help = 'add the row of the carrier’s status for it';
    findings.warning('missing-terminal', table.place, 'no row leads to Order Delivered', help);
  } else if (![...reached].some(isUnderway)) {
    say('no row leads to a status between the order and its delivery', 'add rows for Order Picked Up or In Transit');
  }
  const begins = RETURNS.find((status) => reached.has(status));
  if (begins !== undefined && !reached.has('Returned to Origin')) {
    say(`a row leads to ${begins}, but none to Returned to Origin`, 'add the row that ends a return');
  }
};

const RETURNS: readonly NormalisedStatus[] = ['Return Initiated', 'Return in Transit'];

const isUnderway = (status: NormalisedStatus | typeof NO_CHANGE): boolean =>
  status !== NO_CHANGE && isDispatched(status) && stageOf(status) < stageOf('Order Delivered');

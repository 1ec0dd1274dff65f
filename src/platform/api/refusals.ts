import type { Refusal } from '../records/orders.ts';

/** Why something cannot be done to a consignment, for people. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  dispatched:
    'The carrier has picked the consignment up: it can no longer be changed or cancelled; use the return flow',
  cancelled: 'The consignment is already cancelled',
  rejected: 'The carrier rejected the consignment',
  create_unknown:
    'Nobody knows whether the carrier has the consignment; retry its dispatch, or wait for a status of it',
  undo_failed: 'A part of the consignment may remain at the carrier and has to be cleared there by an operator first',
  nothing_held: 'Nothing of this consignment waits for a retry',
};

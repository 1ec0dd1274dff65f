/** What pickups and their plans show: schemas for checks and OpenAPI, types for the client. */
import { type Static, Type } from 'typebox';
import { optionalReason } from '../../engine/consignment/reply.ts';
import { PickupPlan } from '../../engine/pickups/plan.ts';
import { instant } from './query-fields.ts';

const local = (description: string) => Type.String({ description, examples: ['2026-05-04 14:00:00'] });
const Remaining = Type.Object(
  { consignments: Type.Integer(), packages: Type.Integer(), weightKg: Type.Number() },
  { description: 'Of the consignments, what has neither been picked up nor cancelled.' },
);
export const PickupView = Type.Object({
  referenceNumber: Type.String(),
  carrierCode: Type.String(),
  pickupNumber: Type.Optional(Type.String({ description: 'The carrier’s.' })),
  acceptance: Type.Enum(['pending', 'accepted', 'held', 'rejected', 'cancelled']),
  reason: optionalReason('Why it is held, was rejected, or waits.'),
  nextTryAt: Type.Optional(instant('When what waits is tried again.')),
  pickupStartDateTime: local('As the carrier confirmed it, else as it was asked for, local to `timezone`.'),
  pickupEndDateTime: local('When the window ends.'),
  timezone: Type.String(),
  originFacilityCode: Type.Optional(Type.String()),
  totalQuantity: Type.Integer(),
  totalWeightKg: Type.Number(),
  specialInstructions: Type.Optional(Type.String()),
  total: Type.Optional(Type.Number({ description: 'What the carrier takes for it, tax included.' })),
  currency: Type.Optional(Type.String()),
  createdAt: instant(),
  updatedAt: instant(),
});
export const PickupWhole = Type.Object({
  ...PickupView.properties,
  shipFrom: Type.Unsafe<object>({ type: 'object', description: 'As it was asked for, with what the facility knows.' }),
  consignments: Type.Array(
    Type.Object({
      referenceNumber: Type.String(),
      status: Type.String(),
      packages: Type.Integer(),
      weightKg: Type.Number(),
      remains: Type.Boolean({ description: 'It waits to be picked up.' }),
    }),
  ),
  remaining: Remaining,
});
export const Reply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Array(PickupWhole),
});
export type Reply = Static<typeof Reply>;
export type PickupView = Static<typeof PickupView>;
export type PickupWhole = Static<typeof PickupWhole>;

/** When a plan acts next, and what kept it from acting. */
export const times = {
  day: Type.Optional(Type.String({ description: 'For which day the next is booked.', examples: ['2026-05-04'] })),
  dueAt: Type.Optional(instant('When. Missing: the plan has ended.')),
  failure: Type.Optional(
    Type.Object(
      { day: Type.String(), code: Type.String(), messages: Type.Array(Type.String()) },
      { description: 'Why the last one was not booked, or is held.' },
    ),
  ),
  createdAt: instant(),
  updatedAt: instant(),
};
export const PlanView = Type.Object({ code: Type.String(), ...PickupPlan.properties, ...times });
export type PickupPlanView = Static<typeof PlanView>;

/** For operators: what is held, and saying what became of it where only a look at the carrier can tell. */
import { type Static, Type } from 'typebox';
import { ASKED_NAMES, askedOf } from '../../engine/ask/operations.ts';
import {
  type HeldDispatch,
  type HeldFilter,
  listHeld,
  type ManualResolution,
  resolveDispatch,
} from '../records/held-dispatches.ts';
import { DispatchFailure } from './consignment-shapes.ts';
import { badRequest, conflict, notFound, ok, wrong } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import {
  carrierCode,
  Environment,
  filled,
  instant,
  number,
  numberOf,
  shipperCode,
  texts,
  time,
  timeOf,
  viewOf,
} from './query-fields.ts';
import { failureView } from './read.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const Path = Type.Object({ id: number() });
const Memo = Type.Record(
  Type.String({ maxLength: 100 }),
  Type.Union([Type.String({ maxLength: 1_000 }), Type.Number()]),
  {
    maxProperties: 50,
    description: 'What the carrier gave to be remembered, by the names under `memo` in its profile.',
  },
);
const Body = Type.Object(
  {
    outcome: Type.Enum(['done', 'not_done', 'rejected'], {
      description:
        'done: the carrier has done it. not_done: nothing of it is left there, so that it may be retried, changed or ' +
        'cancelled; of a part whose rest nobody knows of, nothing of that rest. rejected: it will not be done; a create frees its reference.',
    }),
    trackingNumbers: Type.Optional(
      Type.Array(Type.Object({ packageId: filled(100), trackingNumber: filled(200), memo: Type.Optional(Memo) }), {
        maxItems: 500,
        description: 'Of every package, with `done`: needed where the carrier had not accepted before.',
      }),
    ),
    masterTrackingNumber: Type.Optional(filled(200)),
    number: Type.Optional(filled(200, 'With `done`, that of a pickup: needed where one was booked or changed.')),
    memo: Type.Optional(Memo),
    note: filled(1_000, 'How you know.'),
  },
  { additionalProperties: false },
);
const Resolved = Type.Object({
  id: Type.Integer(),
  state: Type.Enum(['done', 'held', 'rejected', 'cancelled'], {
    description: 'cancelled: it was not done, and the next carrier that a policy chose is asked instead.',
  }),
  referenceNumber: Type.String(),
  acceptance: Type.Enum(['pending', 'accepted', 'rejected', 'cancelled']),
});
const HeldView = Type.Object({
  id: Type.Integer(),
  ...texts('operation', 'shipper', 'environment', 'referenceNumber', 'carrierCode'),
  packages: Type.Array(Type.String()),
  failure: DispatchFailure,
  heldAt: instant(),
});

/** Of what is no consignment. */
const ERRAND_OPERATIONS = ASKED_NAMES.filter((name) => askedOf(name).effect !== undefined);

/** What held dispatches may be asked for by. */
export const heldFilter = {
  carrier: Type.Optional(carrierCode()),
  shipper: Type.Optional(shipperCode()),
  environment: Type.Optional(Environment),
  operation: Type.Optional(Type.Enum(['create', 'update', 'cancel', ...ERRAND_OPERATIONS])),
  why: Type.Optional(Type.Enum(['fail', 'config_error', 'unknown_outcome', 'undo_failed', 'partial'])),
  code: Type.Optional(filled(100, 'The `code` of its `failure`.')),
  heldFrom: Type.Optional(time('Held then or later.')),
  heldBefore: Type.Optional(time('Held earlier than that.')),
};
const Filter = Type.Object(heldFilter);

export const heldFilterOf = ({ carrier, heldFrom, heldBefore, ...same }: Static<typeof Filter>): HeldFilter => ({
  ...same,
  carrierCode: carrier,
  heldFrom: timeOf(heldFrom),
  heldBefore: timeOf(heldBefore),
});

const resolutionOf = ({
  outcome,
  trackingNumbers = [],
  masterTrackingNumber,
  number: given,
  memo,
}: Static<typeof Body>): ManualResolution => ({
  outcome,
  memo,
  memos: new Map(
    trackingNumbers.flatMap((one) => (one.memo === undefined ? [] : [[one.packageId, one.memo] as const])),
  ),
  trackingNumbers: new Map(trackingNumbers.map((one) => [one.packageId, one.trackingNumber.trim()])),
  master: masterTrackingNumber?.trim(),
  number: given?.trim(),
});

export const addHeldDispatchRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  list('GET /admin/dispatches/held', {
    id: 'listHeldDispatches',
    summary: 'Dispatches that wait for an operator or a retry, the oldest first',
    filter: heldFilter,
    entry: HeldView,
    place: [({ id }: HeldDispatch) => [id], NUMBER],
    byId: 'after',
    read: async ({ query, after, limit }) =>
      await listHeld(deps.pool, heldFilterOf(query), { afterId: numberOf(after?.[0]), limit }),
    show: (held) => viewOf(HeldView, { ...held, failure: failureView(held.failure) }),
  });
  route('POST /admin/dispatches/:id/resolve', {
    id: 'resolveDispatch',
    role: 'operate',
    summary: 'Say what became of a held dispatch, after a look at the carrier',
    description: 'Its shipper is told what follows by webhook. What was said is kept in the audit log.',
    path: Path,
    body: Body,
    reply: [Resolved, 'As it is now.'],
    errors: [404, 409],
    handle: async ({ path, body, actor }) => {
      const { trackingNumbers, masterTrackingNumber, memo, number: given, outcome, note } = body;
      if (outcome !== 'done' && [trackingNumbers, masterTrackingNumber, memo, given].some((one) => one !== undefined))
        return wrong(`numbers and memo of the carrier do not go with outcome ${outcome}`);
      const dispatchId = Number(path.id);
      const resolved = await resolveDispatch(deps, {
        dispatchId,
        truth: resolutionOf(body),
        note,
        actor,
      });
      switch (resolved.kind) {
        case 'unknown':
          return notFound(`There is no dispatch ${dispatchId}`, 'unknown_dispatch');
        case 'not_held':
          return conflict(`The dispatch is ${resolved.state}; only one that is held is resolved`, 'dispatch_not_held');
        case 'numbers':
          return badRequest([
            ...resolved.missing.map((one) => ({ message: `trackingNumbers lacks package ${one}` })),
            ...resolved.strange.map((one) => ({ message: `trackingNumbers names ${one}, which is no package of it` })),
            ...resolved.undeclared.map((one) => ({
              message: `memo ${one} is not declared in the profile's memo list`,
            })),
          ]);
        case 'number_missing':
          return wrong('number is required: the carrier gave one for what it has done');
        case 'resolved': {
          const { referenceNumber, acceptance } = resolved.of;
          return ok({ id: dispatchId, state: resolved.state, referenceNumber, acceptance });
        }
      }
    },
  });
};

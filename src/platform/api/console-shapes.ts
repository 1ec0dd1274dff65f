/** What admin routes answer that the console reads: schemas for OpenAPI, types for the pages. */
import { Type } from 'typebox';
import { ConsignmentView, EventView, ListEntry } from './consignment-shapes.ts';
import * as f from './query-fields.ts';
import { DeliveryEntry } from './webhook-shapes.ts';

const anything = () => Type.Record(Type.String(), Type.Unknown());

// Activity ------------------------------------------------------------------------------------------------------------

const counts = {
  succeeded: Type.Integer(),
  rejected: Type.Integer({ description: 'What the carrier refused.' }),
  failed: Type.Integer({ description: 'All other calls: errors, timeouts, unknown outcomes.' }),
};
const Failed = Type.Object({
  at: f.instant(),
  outcome: Type.String(),
  status: Type.Optional(Type.Integer()),
  message: Type.Optional(Type.String()),
  consignmentId: Type.Optional(Type.Integer()),
});
const CarrierActivity = Type.Object({
  carrier: Type.String(),
  name: Type.String(),
  held: Type.Integer({ description: 'Dispatches that wait for an operator.' }),
  ...counts,
  p95Ms: Type.Optional(Type.Integer({ description: 'Duration of answered calls.' })),
  lastFailure: Type.Optional(Failed),
  hours: Type.Array(Type.Object(counts), { description: '24 hours, the oldest first.' }),
});
export const Activity = Type.Object({
  since: f.instant(),
  heldDispatches: Type.Integer(),
  failedLabels: Type.Integer(),
  pushes: Type.Object({
    failed: Type.Integer(),
    unmatched: Type.Integer(),
    ambiguous: Type.Integer(),
    unmapped: Type.Integer(),
  }),
  carriers: Type.Array(CarrierActivity, { description: 'All that are loaded.' }),
});

// A carrier ------------------------------------------------------------------------------------------------------------

const Field = Type.Object({
  ...f.texts('name', 'type'),
  secret: Type.Boolean(),
  optional: Type.Boolean(),
  ...f.optionalTexts('title', 'pattern'),
  oneOf: Type.Optional(Type.Array(Type.Unknown())),
  default: Type.Optional(Type.Unknown()),
  example: Type.Optional(Type.Unknown()),
  fromRegister: Type.Boolean({ description: 'Filled in by `register`.' }),
});
const Rule = Type.Object({ do: Type.String(), ...f.optionalTexts('status', 'when') });
const StepView = Type.Object({
  ...f.texts('id', 'method', 'url', 'place'),
  ...f.optionalTexts('when', 'forEach', 'body', 'response', 'lookup'),
  auth: Type.Array(Type.String()),
  outcomes: Type.Array(Rule, { description: 'Those of the profile; built-in rules come after.' }),
  undo: Type.Array(Type.String(), { description: 'Calls that take it back.' }),
});
const OperationView = Type.Object({
  name: Type.String(),
  when: Type.Optional(Type.String({ description: 'Of a variant.' })),
  place: Type.String(),
  idempotent: Type.Boolean(),
  steps: Type.Array(StepView),
});
const StatusRowView = Type.Object({
  ...f.texts('key', 'status', 'place'),
  reason: Type.Optional(Type.String()),
  ofReturns: Type.Boolean(),
});
export const CarrierWhole = Type.Object({
  ...f.texts('code', 'name', 'hash', 'place'),
  capabilities: anything(),
  services: Type.Array(Type.Object({ ...f.texts('name', 'typeOfService'), code: Type.Optional(Type.String()) })),
  environments: Type.Array(Type.Object(f.texts('name', 'url'))),
  credentials: Type.Array(Field),
  settings: Type.Array(Field),
  labelFormats: Type.Array(Type.String()),
  limits: anything(),
  operations: Type.Array(OperationView),
  statuses: Type.Object({
    rows: Type.Array(StatusRowView),
    webhook: Type.Boolean(),
    poll: Type.Boolean(),
  }),
  requires: Type.Array(Type.Object({ fields: Type.Array(Type.String()), when: Type.Optional(Type.String()) })),
  findings: Type.Array(Type.String(), { description: 'Of lint.' }),
});

// Configuration --------------------------------------------------------------------------------------------------------

const Setting = Type.Object({
  variable: Type.String(),
  description: Type.String(),
  default: Type.String(),
  state: Type.Enum(['default', 'set'], { description: 'set: by the environment, to other than the default.' }),
  value: Type.Optional(Type.String({ description: 'Missing where it is secret or unset.' })),
});
export const Settings = Type.Object({
  version: Type.String(),
  node: Type.String(),
  settings: Type.Array(Setting),
});

// A consignment's story ------------------------------------------------------------------------------------------------

export const about = {
  id: Type.Integer(),
  shipper: Type.String({ description: 'Its code.' }),
  environment: f.Environment,
  orderTypes: Type.Array(Type.String()),
};
export const ListedEntry = Type.Object({ ...about, ...ListEntry.properties });

export const Call = Type.Object({
  dispatchId: Type.Integer(),
  step: Type.String(),
  element: Type.Integer(),
  attempt: Type.Integer({ description: 'The latest.' }),
  state: Type.String(),
  firstSentAt: f.instant(),
  sentAt: f.instant(),
  failure: Type.Optional(Type.Object({ ...f.texts('as', 'code'), messages: Type.Array(Type.String()) })),
});
export const Notice = Type.Object({
  eventId: Type.String(),
  sequence: Type.Integer(),
  event: Type.String(),
  createdAt: f.instant(),
});
export const AuditNote = Type.Object({
  at: f.instant(),
  ...f.texts('actor', 'action'),
  detail: Type.Optional(Type.String()),
});
export const StoryEvent = Type.Object({
  ...EventView.properties,
  eventTimezone: Type.Optional(Type.String({ description: 'In which the carrier told the time.' })),
  row: Type.Optional(
    Type.Object(
      { key: Type.String(), status: Type.String(), place: Type.String() },
      { description: 'Of the status table as it is now: the row that decides.' },
    ),
  ),
  warnings: Type.Array(Type.String()),
});
const parts = {
  calls: Type.Array(Call, { description: 'Of its dispatches; those of the newest first.' }),
  exchanges: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description:
      'With the carrier, masked, the newest first; `/admin/exchanges?consignmentId=` has all, and bodies whole.',
  }),
  notices: Type.Array(Notice, {
    description: 'What its shipper was to be told, the newest first.',
  }),
  deliveries: Type.Array(DeliveryEntry, { description: 'Of these to webhooks, the newest first.' }),
  audit: Type.Array(AuditNote, { description: 'Who did what to it, the newest first.' }),
};
export const Story = Type.Object({
  ...ConsignmentView.properties,
  ...about,
  order: Type.Unknown({ description: 'As last accepted.' }),
  canonical: Type.Unknown({ description: 'The consignment as mappings read it.' }),
  events: Type.Array(StoryEvent, { description: 'In the order they happened.' }),
  ...parts,
  cut: Type.Array(Type.String(), { description: 'The lists that have more entries than are shown.' }),
});

import { type Static, Type } from 'typebox';
import { NOTICE_EVENTS } from './notice.ts';
import { StatusUpdate } from '../statuses/status-update.ts';

const text = () => Type.Optional(Type.String());
const textOrNull = () => Type.Union([Type.String(), Type.Null()]);
const { extraInfo, installationItems, driverName, vehicleNumber } = StatusUpdate.properties;

/** The body of a webhook to a shipper (design.md, "Interfaces that stay put"). */
export const WebhookEvent = Type.Object({
  eventId: Type.String({ description: 'Also the webhook-id: the same for every try.' }),
  timestamp: Type.String({ description: 'When this platform knew of it: ISO 8601, UTC.' }),
  sequence: Type.Integer({ description: 'Counts the events of the consignment from 1, without gaps.' }),
  event: Type.Enum([...NOTICE_EVENTS]),
  referenceNumber: Type.String(),
  orderNumber: Type.String(),
  consignmentNumber: Type.String(),
  consignmentType: Type.String(),
  carrierCode: Type.String(),
  trackingNumber: textOrNull(),
  packageId: Type.Optional(Type.String({ description: 'Missing where it is about the whole consignment.' })),
  status: Type.String({ description: 'Of the package; a late event tells of its own.' }),
  previousStatus: textOrNull(),
  consignmentStatus: Type.String({ description: 'Of all packages, rolled up.' }),
  reason: textOrNull(),
  carrierStatus: Type.Optional(
    Type.Object(
      {
        status: text(),
        code: text(),
        description: text(),
        subStatus: text(),
        subStatusCode: text(),
        subStatusDescription: text(),
      },
      { description: 'In the carrier’s words.' },
    ),
  ),
  occurredAt: Type.Optional(Type.String({ description: 'ISO 8601, UTC.' })),
  eventTimezone: text(),
  location: Type.Optional(Type.Object({ code: text(), name: text(), latitude: text(), longitude: text() })),
  extraInfo,
  installationItems,
  driverName,
  vehicleNumber,
  info: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'As the carrier gave it; of what was rejected or held the `operation`, and the `code` of why.',
    }),
  ),
  labels: Type.Array(Type.Object({ packageId: text(), url: Type.String(), format: text() })),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

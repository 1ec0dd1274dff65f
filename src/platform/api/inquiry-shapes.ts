/** What shippers ask before there is an order: schemas for checks and OpenAPI, types for the client. */
import { type Static, Type } from 'typebox';
import { Location as CarrierLocation } from '../../engine/ask/shapes.ts';
import { ShipperAddress } from '../../engine/ask/places.ts';
import { TYPES_OF_SERVICE } from '../../engine/consignment/consignment.ts';
import { Offer } from '../../engine/rates/offer.ts';
import { RatesQuestion } from '../../engine/rates/question.ts';
import { carrierCode, filled, instant } from './query-fields.ts';

const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
const orderTypes = (description: string) => Type.Array(Type.Enum(['FORWARD', 'REVERSE']), { description });

export const CarrierView = Type.Object({
  code: Type.String({ description: '`carrier.code` of an order.' }),
  name: Type.String(),
  fleet: Type.Enum(['outsourced', 'own']),
  services: Type.Array(
    Type.Object({
      name: Type.String({ description: '`serviceType` of an order.' }),
      typeOfService: Type.Enum([...TYPES_OF_SERVICE]),
      code: Type.Optional(Type.String({ description: 'The carrier’s own.' })),
      orderTypes: orderTypes('Orders that it is for.'),
    }),
  ),
  orderTypes: orderTypes('Orders that the carrier takes.'),
  labelFormats: Type.Array(Type.String(), { description: 'The best first.' }),
  vas: Type.Optional(
    Type.Array(
      Type.Object({
        vasCode: Type.String(),
        description: Type.Optional(Type.String()),
        level: Type.Optional(Type.Enum(['CONSIGNMENT', 'SKU'])),
        fields: texts('Without which it is refused.'),
      }),
      { description: 'Value-added services; missing: any code is passed on.' },
    ),
  ),
  cashOnDelivery: Type.Boolean(),
  maxPackages: Type.Optional(Type.Integer({ description: 'Of a consignment; missing: any number.' })),
  from: texts('Countries that it ships from; missing: any.'),
  to: texts('Countries that it delivers to; missing: any.'),
  requirements: Type.Array(
    Type.Object({
      fields: Type.Array(Type.String(), { examples: [['shipTo.contact.email']] }),
      services: texts('For these only.'),
      operations: texts('For these only: `create`, `update`.'),
      conditional: Type.Optional(Type.Literal(true, { description: 'Only for some orders.' })),
    }),
    { description: 'What an order needs beyond what every order has.' },
  ),
  has: Type.Object(
    {
      rates: Type.Boolean({ description: '`POST /v2/checkout/rates`' }),
      turnaround: Type.Boolean({ description: '`POST /v2/checkout/turnaround`' }),
      slots: Type.Boolean({ description: '`POST /v2/slots`' }),
      pickups: Type.Boolean({ description: 'Pickups are booked with the carrier.' }),
      manifests: Type.Boolean({ description: 'The carrier closes manifests itself.' }),
      locations: Type.Boolean({ description: '`POST /v2/locations`' }),
      addressValidation: Type.Boolean({ description: 'Of its own, in `POST /v2/addresses/validate`.' }),
      updates: Type.Boolean(),
      cancels: Type.Boolean(),
    },
    { description: 'What can be asked of it.' },
  ),
});
export type CarrierView = Static<typeof CarrierView>;

// Checkout -----------------------------------------------------------------------------------------------------------

export const QUESTION_WAIT_MS = 2_500;
export const Question = Type.Object({
  ...RatesQuestion.properties,
  waitMs: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 10_000,
      description: `How long carriers are waited for. Default: ${QUESTION_WAIT_MS}.`,
    }),
  ),
});
export type Question = Static<typeof Question>;

const localTime = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-05-04 18:00:00'] }));
const who = { carrierCode: Type.String(), carrierName: Type.String() };
const times = {
  deliveryFrom: localTime('The earliest delivery, local to the destination.'),
  deliveryTo: localTime('The latest delivery, local to the destination.'),
  cutOff: localTime('Until when it has to be handed over, local to the origin.'),
};
const askedAt = instant('When the carrier said so.');
/** An `Offer` as it is shown. */
export const OfferShape = Type.Object({
  ...Offer.properties,
  currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
  ...times,
});
export const OfferView = Type.Object({
  offerId: Type.String({ description: '`carrier.offerId` of a create.' }),
  ...who,
  ...OfferShape.properties,
  askedAt,
  expiresAt: instant('Until when a create may have it.'),
});
export type OfferView = Static<typeof OfferView>;
export const TurnaroundEntry = Type.Object({
  ...who,
  service: Type.String(),
  ...times,
  transitDays: Offer.properties.transitDays,
  askedAt,
});
export type TurnaroundEntry = Static<typeof TurnaroundEntry>;
const Unavailable = Type.Object({
  carrierCode: Type.String(),
  code: Type.String({ description: '`late`, `not_offered`, `refused`, or the code of what failed.' }),
  messages: Type.Array(Type.String()),
});
export type Unavailable = Static<typeof Unavailable>;

const unavailable = Type.Array(Unavailable, { description: 'Carriers that have none, and why.' });
const OK = { timestamp: Type.String(), status: Type.Literal('OK') };
export const RatesReply = Type.Object({
  ...OK,
  data: Type.Object({
    offers: Type.Array(OfferView, { description: 'By currency and total, the cheapest first.' }),
    unavailable,
  }),
});
export type RatesReply = Static<typeof RatesReply>;
export const TurnaroundReply = Type.Object({
  ...OK,
  data: Type.Object({ services: Type.Array(TurnaroundEntry, { description: 'The quickest first.' }), unavailable }),
});
export type TurnaroundReply = Static<typeof TurnaroundReply>;

// Places -------------------------------------------------------------------------------------------------------------

const open = { additionalProperties: true } as const;
const ofCarrier = Type.Object({ code: carrierCode() });
export const AddressQuestion = Type.Object({
  carrier: Type.Optional(ofCarrier),
  contact: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(Type.String({ maxLength: 200 })),
        companyName: Type.Optional(Type.String({ maxLength: 200 })),
        contactNumber: Type.Optional(Type.String({ maxLength: 50 })),
        email: Type.Optional(Type.String({ maxLength: 254 })),
      },
      open,
    ),
  ),
  address: Type.Object(ShipperAddress.properties, { ...open, description: 'As in a create.' }),
});
export type AddressQuestion = Static<typeof AddressQuestion>;

const messages = Type.Array(Type.String(), { description: 'In its words.' });
export const AddressReply = Type.Object({
  ...OK,
  data: Type.Object({
    valid: Type.Boolean({ description: 'Neither we nor the carrier know of anything that is wrong for certain.' }),
    findings: Type.Array(
      Type.Object({
        code: Type.String(),
        field: Type.String({ examples: ['address.pincode'] }),
        message: Type.String(),
        severity: Type.Enum(['error', 'warning'], { description: '`warning`: it may be right all the same.' }),
        suggestion: Type.Optional(Type.String({ description: 'What the field may be meant to say.' })),
      }),
    ),
    suggestion: Type.Optional({ ...ShipperAddress, description: 'The address with all suggestions.' }),
    carrier: Type.Optional(
      Type.Object(
        {
          carrierCode: Type.String(),
          checked: Type.Boolean({ description: 'False: it has no such check, or could not be asked.' }),
          valid: Type.Optional(Type.Boolean()),
          messages,
          suggestions: Type.Array(ShipperAddress, { description: 'What may be meant, the best first.' }),
        },
        { description: 'What the carrier that was named says.' },
      ),
    ),
  }),
});
export type AddressReply = Static<typeof AddressReply>;

export const LocationsQuestion = Type.Object({
  carrier: ofCarrier,
  near: Type.Object(
    { ...ShipperAddress.properties, country: Type.String({ format: 'country' }), pincode: Type.Optional(filled(30)) },
    open,
  ),
  kind: Type.Optional(Type.Enum(['DROP_OFF', 'COLLECTION'], { description: 'What it is for; default: either.' })),
  radiusKm: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 500 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type LocationsQuestion = Static<typeof LocationsQuestion>;
const { id: _id, address: _address, ...described } = CarrierLocation.properties;
const LocationView = Type.Object({
  locationId: Type.String({ description: '`additionalInformation.pickUpPointCode` of an order.' }),
  ...described,
  address: ShipperAddress,
});
export const LocationsReply = Type.Object({ ...OK, data: Type.Array(LocationView) });
export type LocationsReply = Static<typeof LocationsReply>;

/** A carrier that nobody has described yet, as most carriers are. */
import type { Material } from './read.ts';
import { type Answer, answerOf, type Body, type BodyFormat } from './sample.ts';
import { mapScalars } from './secrets.ts';
import { shapeOfSample } from './shape.ts';

const ADDRESS = Object.fromEntries(
  ['name', 'company', 'street', 'postalCode', 'city', 'country', 'phone', 'email'].map((name) => [name, '']),
);
const PARCEL = { reference: '', weightKg: 1, lengthCm: 1, widthCm: 1, heightCm: 1 };
const REQUEST = { reference: '', service: '', sender: ADDRESS, receiver: ADDRESS, parcels: [PARCEL] };
const answerWith = (value: unknown, status = 200): Answer => answerOf(status, Buffer.from(JSON.stringify(value)));

/** The defaults for a carrier without any document: requests and answers as most carriers have them. */
export const usual = (format: BodyFormat = 'json'): Material => {
  const sample = shapeOfSample(format === 'xml' || format === 'soap' ? { ShipmentRequest: REQUEST } : REQUEST);
  // As a document describes it: no value is anybody's.
  const shape = mapScalars(sample, ({ type }) => ({ kind: 'scalar', type }));
  const statuses = 'CREATED PICKED_UP IN_TRANSIT OUT_FOR_DELIVERY DELIVERED DELIVERY_FAILED RETURNED'.split(' ');
  const answers = [
    answerWith({ trackingNumber: 'EX100001', labelUrl: 'https://labels.example/1.pdf' }),
    answerWith({ code: 'example', message: 'example' }, 422),
  ];
  const request: Body = { format, isShown: false, shape, ...(format === 'soap' ? { soap: { namespaces: {} } } : {}) };
  const events = answerWith({ events: statuses.map((status) => ({ status })) });
  const nowhere = { from: '', headers: {}, request: undefined, answers: [] };
  return {
    calls: [
      { ...nowhere, about: 'create shipment', method: 'post', url: '/shipments', request, answers },
      { ...nowhere, about: 'cancel shipment', method: 'delete', url: '/shipments/{trackingNumber}' },
      { ...nowhere, about: 'statuses', answers: [events] },
    ],
    documents: [],
    ignored: [],
  };
};

/** What orders say beyond the contract: validated, passed on, and asked for where the carrier needs it. */
import { expect, it } from 'vitest';
import { apiWorld, order } from './world.ts';

const NEEDY = `
carrier: needy
capabilities: { vas: [INSURANCE, PICK_UP_POINT, STAIRS, INSTALLATION] }
requires:
  - destinationEmail
  - { fields: [itemList.itemName, currencyCode], services: [Express] }
  - { fields: [destinationLandmark], operations: [update] }
  - { fields: [info.incoterm, skuList, skuList.skuHsnCode], when: consignment.originCountry != consignment.destinationCountry }
  - { fields: [info.ioss], when: $number(consignment.info.specialInstructions) > 5 }
vas: { STAIRS: { description: Carried up the stairs., level: CONSIGNMENT, requires: [info.destinationFloor] } }
environments: { production: { url: 'https://needy.example.com' } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
`;
const api = apiWorld({}, { profiles: { needy: NEEDY } });
const { shop } = api;

const D = 'consignmentDetails.';
const A = `${D}additionalInformation.`;
const PACKAGE = `${D}packageDetails[0].additionalInformation.`;
type Changes = Readonly<Record<string, unknown>>;

/** An order that has all that the carrier needs, with changes. */
const needed = (changes: Changes = {}) =>
  order({
    'carrier.code': 'needy',
    'shipTo.contact.email': 'max@example.com',
    [`${D}serviceType`]: 'Standard',
    'shipFrom.address.country': 'DE',
    'shipTo.address.country': 'DE',
    ...changes,
  });
const vas = (vasCode: string, more: Changes = {}) => ({ [`${D}vas`]: [{ vasCode, level: 'CONSIGNMENT', ...more }] });

it.each([
  [400, `${A}incoterm`, 'dap', 'not_one_of'],
  [400, `${A}ioss`, '0123456789', 'malformed'],
  [400, `${A}currency`, 'euro', 'malformed'],
  [400, `${A}declaredValue`, '12', 'wrong_type'],
  [400, `${A}insuredAmount`, -1, 'too_small'],
  [400, `${A}customsInvoiceDate`, '2026-02-30', 'malformed'],
  [400, `${A}importerOfRecord`, { country: 'US' }, 'required', '.name'],
  [400, `${PACKAGE}dangerousGoods`, [{ unNumber: 'UN3481', class: '9', quantity: 1 }], 'required', '[0].quantityUom'],
  [422, `${A}declaredValue`, 12, 'amount_currency', `${A}currency`],
  [422, `${A}notifications`, [{ channel: 'SMS', contact: 'max@example.com' }], 'channel_contact', '[0].contact'],
])('answers %i naming %s where it is %j', async (status, path, value, code, at = '') => {
  const reply = await shop.create(order({ [path]: value }));
  const field = at.startsWith(D) ? at : `${path}${at}`;
  expect([reply.status, reply.body.findings]).toMatchObject([status, [{ code, field }]]);
});

it('brings what is said to the carrier, also by an update, and keeps keys of the shipper’s own', async () => {
  const said = { declaredValue: 120, currency: 'CHF', incoterm: 'DDP', ownKey: { any: 'thing' } };
  const reply = await shop.create(
    order({
      [`${D}additionalInformation`]: said,
      [`${PACKAGE}dangerousGoods`]: undefined,
      [`${PACKAGE}insuredAmount`]: 60,
    }),
  );
  expect([reply.status, reply.body.data[0].warnings]).toEqual([200, undefined]);
  expect((await api.stored()).canonical).toMatchObject({
    invoiceValue: 120,
    currencyCode: 'CHF',
    info: {
      incoterm: 'DDP',
      packages: [{ insuredAmount: 60 }],
      consignmentDetails: { additionalInformation: { ownKey: { any: 'thing' }, incoterm: 'DDP' } },
    },
  });
  await shop.update({ consignmentDetails: { referenceNumber: 'REF-1', additionalInformation: { incoterm: 'DAP' } } });
  expect((await api.stored()).canonical.info).toMatchObject({ incoterm: 'DAP', currency: 'CHF' });
});

it('changes an order of a version that checked none of it, and judges what the change brings', async () => {
  await shop.create();
  const given = { declaredValue: '100 EUR', incoterm: 'dap', notifications: true };
  const { order: stored } = await api.stored();
  Object.assign(stored.consignmentDetails, { additionalInformation: given, skuDetails: [{ code: 'S' }] });
  stored.consignmentDetails.packageDetails[0].additionalInformation = { dangerousGoods: true };
  stored.consignmentDetails.skuDetails[0].additionalInformation = 'red';
  await api.sql(`update consignments set order_text = $1 where id = (select max(id) from consignments)`, [
    JSON.stringify(stored),
  ]);
  const window = { deliveryStartDateTime: '2026-05-03 09:00:00', deliveryEndDateTime: '2026-05-03 12:00:00' };
  const { status, text } = await shop.change({}, { shipTo: { ...stored.shipTo, ...window } });
  expect(status, text).toBe(200);
  expect((await api.stored()).order).toEqual({ ...stored, shipTo: { ...stored.shipTo, ...window } });
  for (const [additionalInformation, refused, field] of [
    [{ insuredAmount: 5 }, 422, 'currency'],
    [{ incoterm: 'ddp' }, 400, 'incoterm'],
    [{ notifications: [{ channel: 'SMS', contact: 'max@example.com' }] }, 422, 'notifications[0].contact'],
  ] as const) {
    const reply = await shop.change({ additionalInformation });
    expect([reply.status, reply.body.findings]).toMatchObject([refused, [{ field: `${A}${field}` }]]);
  }
});

it('warns of a key and of a code that are a letter away from one that means something', async () => {
  const reply = await shop.create(
    order({ [`${A}incoterms`]: 'DAP', [`${PACKAGE}insuredAmmount`]: 60, ...vas('SIGNATURE_REQIRED') }),
  );
  expect([reply.status, reply.body.data[0].warnings]).toMatchObject([
    200,
    [
      { code: 'unknown_field', message: `${A}incoterms is kept, but has no meaning here; did you mean incoterm?` },
      {
        code: 'unknown_field',
        message: `${PACKAGE}insuredAmmount is kept, but has no meaning here; did you mean insuredAmount?`,
      },
      {
        code: 'unknown_vas',
        message: `${D}vas[0].vasCode SIGNATURE_REQIRED is in no catalogue; did you mean SIGNATURE_REQUIRED?`,
      },
    ],
  ]);
});

it.each<[string, Changes, ...string[]]>([
  ['everywhere', { 'shipTo.contact.email': undefined }, 'shipTo.contact.email'],
  [
    'of each package for a service',
    { [`${D}serviceType`]: 'Express', [`${D}packageDetails[0].description`]: undefined },
    `${D}packageDetails[0].description`,
    `${A}currency`,
  ],
  ['abroad', { 'shipTo.address.country': 'CH' }, `${A}incoterm`, `${D}skuDetails`],
  [
    'of each SKU abroad',
    {
      'shipTo.address.country': 'CH',
      [`${A}incoterm`]: 'DAP',
      [`${D}skuDetails`]: [{ code: 'S', hsnName: '1' }, { code: 'T' }],
    },
    `${D}skuDetails[1].hsnName`,
  ],
  ['where its condition cannot be asked', { [`${D}specialInstructions`]: 'twelve' }, `${A}ioss`],
])('refuses an order without what the carrier needs %s, before anything is sent', async (_, changes, ...fields) => {
  const reply = await shop.create(needed(changes));
  expect([reply.status, reply.body.code]).toEqual([422, 'rules_broken']);
  expect(reply.body.findings).toMatchObject(fields.map((field) => ({ code: 'carrier_needs', field })));
  expect(await api.sql('select 1 from consignments where carrier_code = $1', ['needy'])).toEqual([]);
});

it('takes an order that has what the carrier needs, and asks an update for what updates need', async () => {
  expect((await shop.create(needed())).status).toBe(200);
  const change = { consignmentDetails: { referenceNumber: 'REF-1', deliveryInstructions: 'Ring' } };
  expect((await shop.update(change)).body.findings).toMatchObject([{ field: 'shipTo.address.landmark' }]);
});

it.each<[string, Changes, string, string]>([
  ['its parameter', vas('INSURANCE'), 'vas_needs', `${A}insuredAmount`],
  ['the parameter that its profile names', vas('STAIRS'), 'vas_needs', `${A}destinationFloor`],
  ['its level', vas('PICK_UP_POINT', { level: 'SKU', targetIds: ['P1'] }), 'vas_level', `${D}vas[0].level`],
  ['a carrier that offers it', vas('ASSEMBLY'), 'capability', `${D}vas[0].vasCode`],
])('refuses a value-added service without %s', async (_, changes, code, field) => {
  const reply = await shop.create(needed(changes));
  expect([reply.status, reply.body.findings[0]]).toMatchObject([422, { code, field }]);
});

it('takes a value-added service with its parameter, at either level where there are two', async () => {
  const insured = { [`${A}insuredAmount`]: 5, [`${A}currency`]: 'EUR', ...vas('INSURANCE') };
  expect((await shop.create(needed(insured))).status).toBe(200);
  const installed = vas('INSTALLATION', { level: 'SKU', targetIds: ['P1'] });
  const names = { [`${D}referenceNumber`]: 'REF-2', [`${D}consignmentNumber`]: 'CON-2' };
  expect((await shop.create(needed({ ...installed, ...names }))).status).toBe(200);
});

it('shows in OpenAPI what may be said', async () => {
  const { components } = (await shop.get('/openapi.json')).body;
  const { additionalInformation, packageDetails } =
    components.schemas.CreateParcel.properties.consignmentDetails.properties;
  expect(additionalInformation.properties.incoterm.enum).toContain('DDP');
  expect(additionalInformation.properties.insuredAmount.description).toBe(
    'What the consignment is to be insured for. An amount in `currency`.',
  );
  expect(packageDetails.items.properties.additionalInformation.properties.dangerousGoods.items.required).toContain(
    'unNumber',
  );
});

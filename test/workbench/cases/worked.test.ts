import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { runText, said } from './running.ts';

const home = directoryFiles(fileURLToPath(new URL('../../engine/profile/worked', import.meta.url)));
const shipped = directoryFiles(fileURLToPath(new URL('../../..', import.meta.url)));
const worked = (code: string) => loadCarrier(code, { home, shipped }).carrier!;
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

test('a login, a signed webhook and a poll: the case of the language’s own description', async () => {
  const report = await runText(
    worked('teleship'),
    `
case: one box; throttled once, in transit by webhook, delivered by poll
given:
  now: '2026-05-01T09:00:00Z'
  consignment: one-box
  credentials: { webhookSecret: s3cret }
flow:
  - do: create
    exchanges:
      - request:
          post: 'https://sandbox.teleship.com/oauth/token'
          form: { grant_type: client_credentials, clientId: example-clientId, clientSecret: example-clientSecret }
        response: { status: 200, json: { accessToken: tok-1, expiresIn: 3600 } }
      - request: { post: 'https://sandbox.teleship.com/api/shipments/labels', headers: { Authorization: Bearer tok-1 }, json: create.request.json }
        response: { status: 429, headers: { Retry-After: '2' } }
        wait: 2s
      - request: same
        response: { status: 201, json: create.response.json }
    expect:
      outcome: succeed
      result: { itemsTrackDetails: [ { itemReferenceNumber: PKG-1, trackingNumber: TS1, memo: { shipmentId: SHP-1 } } ] }
      labels: { PKG-1: PDF }
  - do: webhook
    request: { sign: true, json: { eventName: shipment.updated, data: { trackingNumber: TS1, events: [ { code: in_transit, timestamp: '2026-05-02T05:48:00.000Z' } ] } } }
    expect: { reply: 200, events: [ { value: TS1, status: In Transit, occurredAt: '2026-05-02T05:48:00Z' } ] }
  - { do: webhook, request: { headers: { x-teleship-signature: forged }, json: {} }, expect: { reply: 401, events: [] } }
  - do: track
    exchanges:
      - request: { get: 'https://sandbox.teleship.com/api/tracking/TS1' }
        response: { status: 200, json: { events: [ { code: delivered, timestamp: '2026-05-03T14:00:00Z' } ] } }
    expect: { events: [ { value: TS1, status: Order Delivered } ], status: Order Delivered }
`,
    {
      'fixtures/teleship/create.request.json': JSON.stringify({
        customerReference: 'REF-1-PKG-1',
        serviceCode: 'TELESHIP-STANDARD-DROPOFF',
        packageType: 'parcel',
        weight: { value: 2, unit: 'kg' },
        shipFrom: {
          name: 'Example Goods',
          phone: '+49405550100',
          address: { line1: 'Example Street 1', city: 'Hamburg', postcode: '20095', country: 'DE' },
        },
        shipTo: {
          phone: '+49895550123',
          address: { line1: 'Example Street 22', city: 'Berlin', postcode: '10115', country: 'DE' },
        },
      }),
      'fixtures/teleship/create.response.json': JSON.stringify({
        shipment: { trackingNumber: 'TS1', shipmentId: 'SHP-1', documents: [{ type: 'LABEL', base64String: PDF }] },
      }),
    },
  );
  expect(said(report)).toEqual([]);
});

const TWO = `
given:
  consignment: one-box
  change:
    itemList:
      - { itemReferenceNumber: PKG-1, itemQuantity: 1, itemWeight: 2, itemWeightUom: KG }
      - { itemReferenceNumber: PKG-2, itemQuantity: 1, itemWeight: 3, itemWeightUom: KG }
`;

test('calls side by side, in whatever order, and what succeeded of them taken back', async () => {
  const order = 'https://sandbox.sendle.com/api/orders';
  const report = await runText(
    worked('sendle'),
    `
case: the first of two is refused
${TWO}
flow:
  - do: create
    exchanges:
      - request: { post: '${order}', json: second.json }
        response: { status: 200, json: { order_id: o-2, sendle_reference: S2 } }
      - request: { post: '${order}' }
        response: { status: 422, json: { error: unprocessable, error_description: no such suburb } }
      - request: { delete: '${order}/o-2' }
        response: { status: 404 }
    expect: { outcome: reject, code: unprocessable, messages: [ no such suburb ] }
`,
    {
      'fixtures/sendle/second.json': JSON.stringify({
        customer_reference: 'REF-1',
        product_code: 'STANDARD-PICKUP',
        description: 'Goods',
        weight: { units: 'kg', value: '3' },
        sender: {
          contact: { name: 'Example Goods', phone: '+49405550100' },
          address: { address_line1: 'Example Street 1', suburb: 'Hamburg', postcode: '20095', country: 'DE' },
        },
        receiver: {
          contact: { phone: '+49895550123' },
          address: { address_line1: 'Example Street 22', suburb: 'Berlin', postcode: '10115', country: 'DE' },
        },
      }),
    },
  );
  expect(said(report)).toEqual([]);
  expect(report.touched.steps).toEqual(expect.arrayContaining(['create/create', 'create~undo/create~undo']));
});

test('SOAP: a login in the envelope, a fault that asks for a new one, and the label of all packages', async () => {
  const base = 'https://shipperadmintest.dpd.be/PublicApi/soap/services';
  const login = `
      - request: { post: '${base}/LoginService/V2_1', headers: { SOAPAction: '"http://dpd.com/common/service/types/LoginService/2.1/getAuth"' } }
        response:
          status: 200
          soap: { body: { getAuthResponse: { return: { authToken: TOKEN, authTokenExpires: '2026-01-16T09:00:00.00', depot: '0530' } } } }`;
  const report = await runText(
    worked('dpd'),
    `
case: a token that is no longer taken
${TWO}
flow:
  - do: create
    exchanges:${login.replace('TOKEN', 'tok-1')}
      - request: { post: '${base}/ShipmentService/V3_3' }
        response: { status: 200, soap: fault.xml }${login.replace('TOKEN', 'tok-2')}
      - request: { post: '${base}/ShipmentService/V3_3', soap: order.xml }
        response:
          status: 200
          soap:
            body:
              storeOrdersResponse:
                orderResult:
                  parcellabelsPDF: ${PDF}
                  shipmentResponses: { parcelInformation: [ { parcelLabelNumber: '051' }, { parcelLabelNumber: '052' } ] }
    expect:
      result: { itemsTrackDetails: [ { trackingNumber: '051' }, { itemReferenceNumber: PKG-2, trackingNumber: '052' } ] }
      labels: { '*': PDF }
`,
    {
      'fixtures/dpd/fault.xml': `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>
        <faultcode>s:Server</faultcode><faultstring>DELICOM_TOKEN</faultstring></s:Fault></s:Body></s:Envelope>`,
      'fixtures/dpd/order.xml': `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"
          xmlns:au="http://dpd.com/common/service/types/Authentication/2.0" xmlns:sh="http://dpd.com/common/service/types/ShipmentService/3.3">
        <soap:Header><au:authentication><delisId>example-delisId</delisId><authToken>tok-2</authToken>
          <messageLanguage>en_EN</messageLanguage></au:authentication></soap:Header>
        <soap:Body><sh:storeOrders>
          <printOptions><printerLanguage>PDF</printerLanguage><paperFormat>A6</paperFormat></printOptions>
          <order>
            <generalShipmentData>
              <mpsCustomerReferenceNumber1>REF-1</mpsCustomerReferenceNumber1><sendingDepot>0530</sendingDepot><product>CL</product>
              <sender><name1>Example Goods</name1><street>Example Street 1</street><country>DE</country><zipCode>20095</zipCode><city>Hamburg</city></sender>
              <recipient><street>Example Street 22</street><country>DE</country><zipCode>10115</zipCode><city>Berlin</city></recipient>
            </generalShipmentData>
            <parcels><customerReferenceNumber1>PKG-1</customerReferenceNumber1><weight>200</weight></parcels>
            <parcels><customerReferenceNumber1>PKG-2</customerReferenceNumber1><weight>300</weight></parcels>
            <productAndServiceData><orderType>consignment</orderType></productAndServiceData>
          </order></sh:storeOrders></soap:Body></soap:Envelope>`,
    },
  );
  expect(said(report)).toEqual([]);
});

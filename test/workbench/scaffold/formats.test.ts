import { expect, test } from 'vitest';
import { begun, expectParts } from './begun.ts';

const ORDER = {
  reference: 'AX-2209',
  product: 'NEXT_DAY',
  insured: null,
  tags: [],
  from: {
    name: 'Mona Muster',
    company: 'Muster Versand GmbH',
    street: 'Hafenweg 4',
    zip: '20457',
    city: 'Hamburg',
    country: 'DEU',
  },
  to: {
    name: 'Tim Testmann',
    street: 'Probeallee 12',
    zip: '50667',
    city: 'Köln',
    country: 'DEU',
    phone: '0221 5550199',
  },
  parcels: [
    { id: 'BOX-1', grams: 1800, widthMm: 200 },
    { id: 'BOX-2', grams: 650, widthMm: 150 },
  ],
};
const JSON_ORDER = JSON.stringify(ORDER);
const ANSWER =
  '{ "parcels": [ { "trackingNumber": "ZX001", "label": null }, { "trackingNumber": "ZX002", "label": null } ] }';
const CURL = `# create a shipment
curl -sS -X POST 'https://sandbox.parcelmaker.example/v3/shipments?dry=0' \\
  -H "X-Api-Key: k-live-77aa88bb" -H 'Content-Type: application/json' \\
  -d '${JSON_ORDER}'
`;
const HTTP = `@host = https://sandbox.parcelmaker.example
### create a shipment
POST {{host}}/v3/shipments?dry=0
X-Api-Key: k-live-77aa88bb
Content-Type: application/json
Cookie: session=abc

${JSON_ORDER}

HTTP/1.1 201 Created
Content-Type: application/json

${ANSWER}
`;
const HEADERS = [
  { name: 'X-Api-Key', value: 'k-live-77aa88bb' },
  { name: 'content-type', value: 'application/json' },
];
const URL_OF = 'https://sandbox.parcelmaker.example/v3/shipments?dry=0';
const HAR = JSON.stringify({
  log: {
    version: '1.2',
    entries: [
      {
        request: { method: 'GET', url: 'https://cdn.example/app.js', headers: [] },
        response: { status: 200, content: { mimeType: 'application/javascript', text: '1' } },
      },
      {
        request: {
          method: 'POST',
          url: URL_OF,
          headers: HEADERS,
          postData: { mimeType: 'application/json', text: JSON_ORDER },
        },
        response: { status: 201, content: { mimeType: 'application/json', text: ANSWER } },
      },
    ],
  },
});
const POSTMAN = JSON.stringify({
  info: { name: 'Parcelmaker', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  auth: {
    type: 'apikey',
    apikey: [
      { key: 'key', value: 'X-Api-Key' },
      { key: 'value', value: 'k-live-77aa88bb' },
    ],
  },
  variable: [{ key: 'base', value: 'https://sandbox.parcelmaker.example/v3' }],
  item: [
    {
      name: 'Shipments',
      item: [
        {
          name: 'Create',
          request: { method: 'POST', url: { raw: '{{base}}/shipments?dry=0' }, body: { mode: 'raw', raw: JSON_ORDER } },
          response: [{ code: 201, header: [{ key: 'Content-Type', value: 'application/json' }], body: ANSWER }],
        },
      ],
    },
  ],
});

test.each([
  [
    'a curl command line and its answer beside it',
    { 'readme.md': `Try:\n\n\`\`\`sh\n${CURL}\`\`\`\n`, 'create.response.json': ANSWER },
  ],
  ['an .http file', { 'requests.http': HTTP }],
  ['a HAR', { 'browser.har': HAR }],
  ['a collection of Postman', { 'collection.json': POSTMAN }],
])('%s gives the mapping, the account and the case', async (_, samples) => {
  const { profile, mapping, consignment, problems, files, written } = await begun(samples);
  expect(problems).toEqual([]);
  expectParts(
    profile.toLowerCase(),
    [
      "sandbox: { url: 'https://sandbox.parcelmaker.example' }",
      "  apiKey: { secret: true, example: 'example-api-key' }",
      "auth: { apiKey: { header: 'x-api-key'",
      "post: '/v3/shipments?dry=0'",
      "Standard: { typeOfService: STANDARD, code: 'NEXT_DAY' }",
    ].map((line) => line.toLowerCase()),
  );
  expectParts(mapping, [
    '"company": originCompanyName,',
    '"zip": destinationPostalCode,',
    '"country": $country(destinationCountry, "alpha3"),',
    '"phone": $phone(destinationContactNumber, destinationCountry, "national")',
    '"parcels": [itemList.{',
    '"grams": $convert(itemWeight, itemWeightUom, "G", 0),',
    '"insured": /* unconfirmed: nothing in a consignment is like it */ null',
    '"tags": []',
  ]);
  expectParts(consignment, ['destinationName: Tim Testmann', 'originAddressLine1: Hafenweg 4', 'itemWeight: 0.65']);
  expect(JSON.parse(String(files['fixtures/acme/create.request.json']))).toEqual(ORDER);
  expect(written.join()).not.toContain('k-live-77aa88bb');
});

const block = (text: string): string => `\`\`\`sh\n${text}\n\`\`\`\n`;

test('in Markdown a block ends an answer, and a token of the same host follows the environment', async () => {
  const token = `curl https://sandbox.parcelmaker.example/oauth/token -d grant_type=client_credentials -d client_id=abc123 -d client_secret=s3cret-long`;
  const call = `curl https://sandbox.parcelmaker.example/v3/shipments -H 'Authorization: Bearer eyEXAMPLE' -H 'Content-Type: application/json' -d '${JSON_ORDER}'`;
  const answer = `\`\`\`json\n${ANSWER}\n\`\`\`\n\n## Add a piece\nOnce for each parcel.\n`;
  const REFUSED =
    '```http\nPOST /hook HTTP/1.1\nHost: shop.example\n\n{"a":1}\n```\n```http\nHTTP/1.1 422 No\nContent-Type: application/json\n\n{ "errors": [ { "code": "K1", "message": "no" } ] }\n```\n| a | b |\n';
  const { files, problems, profile } = await begun({
    'api.md': `# API\n## Token\n${block(token)}## Create\n${block(call)}${answer}## Errors\n${REFUSED}`,
  });
  expect(problems).toEqual([]);
  expect(JSON.parse(String(files['fixtures/acme/create.response.json']))).toEqual(JSON.parse(ANSWER));
  expect(profile).toContain("tokenUrl: '/oauth/token'");
  expect(profile).toContain('status: 4xx, do: reject, code: "$string(response.body.errors.code[0])"');
});

test('what a text says between its samples is read: where the carrier is, and what codes mean, also of returns', async () => {
  const call = `curl https://sandbox.parcelmaker.example/v3/shipments -H 'Content-Type: application/json' -d '${JSON_ORDER}'`;
  const cancel = 'curl -X DELETE https://sandbox.parcelmaker.example/v3/shipments/ZX001';
  const text = `# API
Sandbox: https://sandbox.parcelmaker.example/v3 · production: https://api.parcelmaker.example/v3.
## Token
${block('curl https://sandbox.parcelmaker.example/v3/oauth/token -d grant_type=client_credentials -d client_secret=s3cret-long')}
## Create
${block(call)}\`\`\`json\n${ANSWER}\n\`\`\`
## Cancel
${block(cancel)}
## Codes of tracking
| code | meaning | | code of a return | meaning |
| --- | --- | --- | --- | --- |
| \`OD\` | on the van, out for delivery | | RX | see note |
| Q7 | see note | | | |

Status codes: 10 data received, 20 picked up (at the shop), 31 sorted.
\`\`\`http\nPOST /hook HTTP/1.1\nHost: shop.example\n\n{"a":1}\n\`\`\`
## Errors
| code | meaning |
| --- | --- |
| K1 | no such city |
\`\`\`http\nHTTP/1.1 422 No\nContent-Type: application/json\n\n{ "errors": [ { "code": "K1", "text": "no" } ] }\n\`\`\`
`;
  const { profile, problems, ignored, files } = await begun({ 'api.md': text });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "sandbox: { url: 'https://sandbox.parcelmaker.example/v3' }",
    "production: { url: 'https://api.parcelmaker.example/v3' }\n",
    "tokenUrl: '/oauth/token'",
    "delete: '/shipments/${item.trackingNumber}'",
    'messages: "response.body.errors.text"',
    "    'OD': Out for Delivery # unconfirmed: the word is like it (on the van, out for delivery)",
    "    # 'Q7': … # unconfirmed: fill in what it means (see note)",
    "    '20': Order Picked Up",
    "  returns: {}\n    # 'RX': …",
  ]);
  expect(profile).not.toContain("'K1'");
  expect(ignored.join('\n')).toMatch(/the codes under "Errors".*\/hook is no create/s);
  expect(Object.keys(files).some((path) => path.endsWith('.request.json') && path.startsWith('schemas/'))).toBe(false);
});

test('an address of one environment stays below it when flags say where both are', async () => {
  const login =
    'curl https://sandbox.parcelmaker.example/oauth/token -d grant_type=client_credentials -d client_secret=s3cret-long';
  const flags = { url: 'https://live.parcelmaker.example', sandboxUrl: 'https://test.parcelmaker.example' };
  const { profile } = await begun({ 'api.sh': `${login}\n${CURL}` }, flags);
  expectParts(profile, [
    "url: 'https://live.parcelmaker.example'",
    "tokenUrl: '/oauth/token'",
    "post: '/v3/shipments?dry=0'",
  ]);
  expect(profile).not.toContain('sandbox.parcelmaker');
});

const SOAP = `POST /ws/shipping HTTP/1.1
Host: ws.cargonaut.example
Content-Type: text/xml; charset=utf-8
SOAPAction: "urn:cargonaut:CreateOrder"

<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:c="urn:cargonaut">
  <soapenv:Header><c:Login><c:User>shop77</c:User><c:Password>geheim-4711</c:Password></c:Login></soapenv:Header>
  <soapenv:Body>
    <c:CreateOrder version="2">
      <c:Ref>AX-2209</c:Ref>
      <c:Consignee><c:Name>Tim Testmann</c:Name><c:Street>Probeallee 12</c:Street><c:Zip>50667</c:Zip><c:City>Köln</c:City><c:Country>DE</c:Country></c:Consignee>
      <c:Pieces><c:Piece><c:Weight unit="KG">1.80</c:Weight></c:Piece><c:Piece><c:Weight unit="KG">0.65</c:Weight></c:Piece></c:Pieces>
      <opt xmlns="urn:other">1</opt>
    </c:CreateOrder>
  </soapenv:Body>
</soapenv:Envelope>

HTTP/1.1 200 OK
Content-Type: text/xml

<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><CreateOrderResponse><Barcode>CN99</Barcode></CreateOrderResponse></S:Body></S:Envelope>
`;

test('SOAP keeps namespaces, attributes, the header and its action; secrets of the header are the account’s', async () => {
  const { profile, mapping, files, problems, written } = await begun({ 'create.txt': SOAP });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "action: 'urn:cargonaut:CreateOrder'",
    "'c': 'urn:cargonaut'",
    'header: header.jsonata',
    "post: '/ws/shipping'",
  ]);
  expectParts(mapping, [
    '"c:Piece": [itemList.{',
    '"@unit": "KG"',
    '"#text": $formatNumber($convert(',
    '"@xmlns": "urn:other"',
  ]);
  expect(String(files['mappings/acme/header.jsonata'])).toContain('"c:Password": $credentials.password');
  expect(written.join()).not.toContain('geheim-4711');
});

test('multipart with types of its parts, a form, a login and a signature: each where the profile has it', async () => {
  const multipart = `curl https://up.example/orders -u shop:very-secret-1 -F 'order={"ref":"AX-1","to":{"city":"Köln","zip":"50667"}};type=application/json' -F 'doc=@invoice.txt;type=text/plain'`;
  const first = await begun({ 'a.sh': multipart, 'invoice.txt': 'an invoice' });
  expect(first.problems).toEqual([]);
  expect(first.profile).toContain('body: { multipart: create.jsonata }');
  expect(first.profile).toContain('auth: { basic:');
  expect(first.mapping).toContain('"city": destinationCity');
  expect(first.mapping).toContain('"filename": /* unconfirmed: nothing in a consignment is like it */ "invoice.txt"');

  const second = await begun({
    'a.sh': `curl https://x.example/oauth/token -d grant_type=client_credentials -d client_id=abc123 -d client_secret=s3cret-long
curl https://x.example/parcels -H 'Authorization: Bearer eyEXAMPLE' -H 'X-Signature: 99aa' --data-urlencode 'receiver[city]=Köln' -d 'receiver[zip]=50667'
curl https://x.example/prices -d a=1`,
  });
  expect(second.problems).toEqual([]);
  expect(second.profile).toContain('body: { form: create.jsonata }');
  expect(second.profile).toContain("tokenUrl: '/oauth/token'");
  expect(second.ignored.join('\n')).toMatch(/x-signature.*\n.*\/prices/s);
  expect(second.written.join()).not.toMatch(/s3cret-long|eyEXAMPLE/);
});

const WSDL = `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t">
  <wsdl:message name="In"><wsdl:part name="p" element="t:BookShipment"/></wsdl:message>
  <wsdl:portType name="P"><wsdl:operation name="BookShipment"><wsdl:input message="t:In"/></wsdl:operation></wsdl:portType>
  <wsdl:binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="BookShipment"><soap:operation soapAction="urn:t/Book"/></wsdl:operation></wsdl:binding>
  <wsdl:service name="S"><wsdl:port name="X" binding="t:B"><soap:address location="https://soap.freighter.example/v1/book"/></wsdl:port></wsdl:service>
</wsdl:definitions>`;
const XSD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" elementFormDefault="qualified">
  <xs:element name="BookShipment"><xs:complexType><xs:sequence>
    <xs:element name="Reference" type="t:Short"/>
    <xs:element name="Receiver" type="t:Party"/>
    <xs:element name="Parcel" maxOccurs="99"><xs:complexType><xs:sequence><xs:element name="WeightKg" type="xs:decimal"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="Mode" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="AIR"/></xs:restriction></xs:simpleType></xs:element>
  </xs:sequence><xs:attribute name="version" use="required"/></xs:complexType></xs:element>
  <xs:simpleType name="Short"><xs:restriction base="xs:string"><xs:maxLength value="20"/></xs:restriction></xs:simpleType>
  <xs:complexType name="Base"><xs:sequence><xs:element name="City" type="xs:string"/></xs:sequence></xs:complexType>
  <xs:complexType name="Party"><xs:complexContent><xs:extension base="t:Base"><xs:sequence><xs:element name="PostCode" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
</xs:schema>`;

test('a WSDL and its schema give address, action, elements with their namespaces, types and lists', async () => {
  const { profile, mapping, problems, files } = await begun({ 'book.wsdl': WSDL, 'types.xsd': XSD });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "production: { url: 'https://soap.freighter.example' }",
    "post: '/v1/book'",
    "action: 'urn:t/Book'",
    "'n1': 'urn:t'",
  ]);
  expectParts(mapping, [
    '"n1:BookShipment": {',
    '$cut(referenceId, 20)',
    '"n1:City": ',
    '"n1:Parcel": [itemList.{',
    '$convert(itemWeight, itemWeightUom, "KG", 3)',
    '"@version":',
  ]);
  // What lint holds the mapping to.
  expect(JSON.parse(String(files['schemas/acme/create.request.json']))).toMatchObject({
    properties: {
      'n1:BookShipment': {
        required: ['n1:Reference', 'n1:Receiver', 'n1:Parcel', '@version'],
        properties: { 'n1:Reference': { maxLength: 20 }, 'n1:Mode': { enum: ['AIR'] } },
        additionalProperties: false,
      },
    },
  });
  const { profile: plain } = await begun({ 'types.xsd': XSD });
  expect(plain).toContain('body: { xml: create.jsonata }');
});

/** A SOAP body as people keep it. */
const kept = (content: string, header = ''): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:t="urn:t">${header}<e:Body>${content}</e:Body></e:Envelope>`;
const LOGIN = '<e:Header><t:Password>geheim-4711</t:Password></e:Header>';
const CALLS = ['CreateShipment', 'CancelShipment', 'GetLabel', 'GetTracking'];
const SERVICE = `<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t">
${CALLS.map((name) => `<w:message name="${name}In"><w:part name="p" element="t:${name}Request"/></w:message>`).join('')}
<w:portType name="P">${CALLS.map((name) => `<w:operation name="${name}"><w:input message="t:${name}In"/></w:operation>`).join('')}</w:portType>
<w:binding name="B" type="t:P">${CALLS.map((name) => `<w:operation name="${name}"><soap:operation soapAction="urn:t:${name}"/></w:operation>`).join('')}</w:binding>
<w:service name="S"><w:port name="X" binding="t:B"><soap:address location="https://soap.freighter.example/v1"/></w:port></w:service>
</w:definitions>`;
const TYPES = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
${CALLS.map((name) => `<xs:element name="${name}Request"><xs:complexType><xs:sequence><xs:element name="CustomerNumber" type="xs:string"/><xs:element name="ShipmentId" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`).join('')}
</xs:schema>`;

test('a service with a sample of each call gives create, cancel, label, track and refusals, each by its root element and file', async () => {
  const { profile, files, problems, ignored, written } = await begun({
    'service.wsdl': SERVICE,
    'types.xsd': TYPES,
    'create.request.xml': kept(
      '<t:CreateShipmentRequest><t:CustomerNumber>70012345</t:CustomerNumber><t:Ref>AX-2209</t:Ref><t:City>Köln</t:City></t:CreateShipmentRequest>',
      LOGIN,
    ),
    'create.response.xml': kept(
      '<t:Made><t:ShipmentId>S-900100</t:ShipmentId><t:TrackingNumber>ZX00001</t:TrackingNumber></t:Made>',
    ),
    'cancel.request.xml': kept(
      '<t:CancelShipmentRequest><t:CustomerNumber>70012345</t:CustomerNumber><t:ShipmentId>S-900100</t:ShipmentId></t:CancelShipmentRequest>',
      LOGIN,
    ),
    'label.request.xml': kept('<t:GetLabelRequest><t:ShipmentId>S-900100</t:ShipmentId></t:GetLabelRequest>', LOGIN),
    'label.response.xml': kept('<t:Got><t:LabelData>JVBERi0xLjQK</t:LabelData></t:Got>'),
    'track.request.xml': kept('<t:GetTrackingRequest><t:No>ZX00001</t:No></t:GetTrackingRequest>', LOGIN),
    'track.response.xml': kept('<t:Got><t:Event><t:Code>40</t:Code><t:Text>Delivered</t:Text></t:Event></t:Got>'),
    'error.xml': kept(
      '<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring><detail><t:Bad><t:Code>E7</t:Code><t:Message>no such city</t:Message></t:Bad></detail></e:Fault>',
    ),
  });
  expect(problems).toEqual([]);
  expect(files).toHaveProperty(['schemas/acme/cancel.request.json']);
  expect(ignored).toEqual(['create', 'track', 'label'].map((name) => expect.stringContaining(`the body of ${name}`)));
  expectParts(profile, [
    'memo: [shipmentId]',
    '"memo": { "shipmentId": response.body.Made.ShipmentId }',
    ...CALLS.map((name) => `action: 'urn:t:${name}'`),
    '"label": { "content": response.body.Got.LabelData }',
    `when: "response.fault.code = 'Client'", do: reject, code: "$string(response.fault.detail.Bad.Code[0])"`,
  ]);
  expect(profile.match(/header: header\.jsonata/g)).toHaveLength(4);
  const mapping = (name: string): string => String(files[`mappings/acme/${name}.jsonata`]);
  expectParts(mapping('cancel'), ['$settings.customerNumber', '"t:ShipmentId": $shipment.memo.shipmentId']);
  expectParts(mapping('track'), ['"t:No": $item.trackingNumber']);
  expect(written.join()).not.toContain('geheim-4711');
});

const statusWith = (code: string, message = '') => `<t:Status><t:Code>${code}</t:Code>${message}</t:Status>`;

test('answers alone find their operation by its output, in-band refusals have no status, and calls without a header that of the create', async () => {
  const service = SERVICE.replace(
    '<w:portType',
    `${CALLS.map((name) => `<w:message name="${name}Out"><w:part name="p" element="t:${name}Response"/></w:message>`).join('')}<w:portType`,
  ).replaceAll(/<w:input message="t:(\w+)In"\/>/g, '$&<w:output message="t:$1Out"/>');
  const { profile, ignored } = await begun({
    'service.wsdl': service,
    'types.xsd': TYPES,
    'CreateShipment.request.xml': kept(
      '<t:CreateShipmentRequest><t:CustomerNumber>70012345</t:CustomerNumber><t:ShipmentId>AX-2209</t:ShipmentId></t:CreateShipmentRequest>',
      LOGIN,
    ),
    'CreateShipment.response.xml': kept(
      `<t:CreateShipmentResponse>${statusWith('0')}<t:Barcode>ZX00001</t:Barcode></t:CreateShipmentResponse>`,
    ),
    'CreateShipment.refused.response.xml': kept(
      `<t:CreateShipmentResponse>${statusWith('17', '<t:Message>no such city</t:Message>')}</t:CreateShipmentResponse>`,
    ),
    'GetLabel.response.xml': kept(
      `<t:GetLabelResponse>${statusWith('0')}<t:Document>JVBERi0xLjQK</t:Document></t:GetLabelResponse>`,
    ),
    'GetTracking.response.xml': kept(
      `<t:GetTrackingResponse>${statusWith('0')}<t:Event code="30"><t:Text>Picked up</t:Text></t:Event><t:Event code="40"><t:Text>Delivered</t:Text></t:Event></t:GetTrackingResponse>`,
    ),
  });
  expectParts(profile, [
    "action: 'urn:t:GetTracking'",
    'header: header.jsonata # unconfirmed: that of the create',
    '"label": { "content": response.body.GetLabelResponse.Document }',
    '"carrierStatusCode": /* unconfirmed: "@code" is like it */ `@code`',
    '- { when: "response.body.CreateShipmentResponse.Status.Message", do: reject',
    "'40': Order Delivered",
  ]);
  expect(ignored.join()).not.toContain('the body of create');
});

const MANUAL = `# Parcel API
Base \`https://api.parcelmaker.example/v1\`; sandbox \`https://sandbox.parcelmaker.example/v1\`.
## Access
\`POST /token\` with form \`grant_type=client_credentials&client_id=abc123&client_secret=s3cret-long\`; returns \`{"access_token": "…"}\`.
## Parcels
Until the evening \`DELETE /parcels/{number}\` takes a parcel back: 204; 409 \`{ "errors": [ { "code": "LATE", "message": "it is on its way" } ] }\`.

### POST /parcels
\`\`\`json
${JSON_ORDER}
\`\`\`
201:
\`\`\`json
${ANSWER}
\`\`\`
## Events
\`\`\`json
{ "number": "ZX001", "code": "OFD" }
\`\`\`
Codes: \`PICKED\` picked up, \`DEPART\`/\`ARRIVE\` movements, \`OFD\` out for delivery, \`DELIVERED\`.

| code | reason | text |
| --- | --- | --- |
| \`DLV\` | | Delivered |
| \`NDL\` | 01 | Not delivered |
`;

test('a manual that names a call and shows its bodies is read as one of messages is', async () => {
  const { profile, problems, ignored, written, files } = await begun({ 'api.md': MANUAL });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "sandbox: { url: 'https://sandbox.parcelmaker.example/v1' }",
    "tokenUrl: '/token'",
    "post: '/parcels'",
    "delete: '/parcels/${item.trackingNumber}'",
    'code: "$string(response.body.errors.code[0])", messages: "response.body.errors.message"',
    "'ARRIVE': At Facility",
    "'DELIVERED': Order Delivered",
    "'NDL': Delivery Failed",
  ]);
  expect(JSON.parse(String(files['fixtures/acme/create.response.json']))).toEqual(JSON.parse(ANSWER));
  expect(ignored).toEqual(['api.md:17: nothing says of which call this body is']);
  expect(written.join()).not.toContain('s3cret-long');
});

test('a path that names a field of the create’s answer is filled from its memo', async () => {
  const manual = MANUAL.replace('/parcels/{number}', '/parcels/{orderId}').replace(
    ANSWER,
    `{ "orderId": "O-77", ${ANSWER.slice(1)}`,
  );
  const { profile, problems } = await begun({ 'api.md': manual });
  expect(problems).toEqual([]);
  expectParts(profile, [
    'memo: [orderId]',
    '"memo": { "orderId": response.body.orderId }',
    "  cancel:\n    delete: '/parcels/${shipment.memo.orderId}'",
  ]);
});

test('a package of a sample without a size has none, though another has one', async () => {
  const parcels = [{ weightKg: 2, lengthCm: 40, widthCm: 30, heightCm: 20 }, { weightKg: 1 }];
  const { consignment } = await begun({
    'create.request.json': JSON.stringify({ reference: 'AX-1', parcels }),
  });
  expect(consignment.match(/itemLength/g)).toHaveLength(1);
});

test('what no sample shows is marked: values of the account by their names, and how the carrier knows who asks', async () => {
  const { profile, mapping, ignored } = await begun({ 'service.wsdl': SERVICE, 'types.xsd': TYPES });
  expect(profile).toContain('auth: none # unconfirmed:');
  expect(mapping).toContain('"n1:CustomerNumber": /* unconfirmed: by its name; no sample shows it */ $settings');
  expect(mapping.match(/\$settings/g)).toHaveLength(1);
  expect(ignored).toHaveLength(2);
});

const OPENAPI = `openapi: 3.1.0
info: { title: Real API, version: 2026-01-01 }
servers:
  - url: https://{region}.api.real.example/rest
    variables: { region: { default: eu } }
  - { url: 'https://eu.api-test.real.example/rest', description: Test }
security: [ { session: [] }, { code: [] } ]
components:
  securitySchemes:
    browser: { type: oauth2, flows: { authorizationCode: { authorizationUrl: 'https://x.example', tokenUrl: 'https://x.example', scopes: {} } } }
    session: { type: apiKey, in: cookie, name: SID }
    code: { type: apiKey, in: query, name: code }
  schemas:
    Common: &common { type: object, properties: { city: { type: string } } }
    Party:
      allOf: [ *common, { type: object, required: [postCode], properties: { postCode: { type: string, example: '50667' } } } ]
paths:
  /shipments/{id}/labels: { post: { summary: Create labels of a shipment, parameters: [ { name: id, in: path } ], requestBody: { content: { application/json: { schema: { type: object, properties: { format: { type: string } } } } } }, responses: {} } }
  /shipments:
    parameters: [ { name: X-Tenant, in: header, required: true, schema: { type: string, default: main } } ]
    post:
      summary: Create a shipment and return its label
      tags: [Shipping and tracking]
      requestBody: { $ref: '#/components/requestBodies/New' }
      responses: { '201': { description: ok }, '201': { description: again } }
`;

test('OpenAPI as vendors write it: anchors, repeated keys, variables of servers, and a scheme that needs no browser', async () => {
  const body = `  requestBodies:
    New: { content: { 'application/vnd.real+json': { schema: { type: object, required: [receiver], properties: { receiver: { $ref: '#/components/schemas/Party' }, state: { readOnly: true, type: string } } } } } }
`;
  const { profile, mapping, problems, files } = await begun({
    'api.yaml': OPENAPI.replace('  schemas:\n', `${body}  schemas:\n`),
  });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "production: { url: 'https://eu.api.real.example/rest' }",
    "sandbox: { url: 'https://eu.api-test.real.example/rest' }",
    "post: '/shipments'",
    "query: 'code'",
    "'x-tenant': 'main'",
  ]);
  expect(mapping).toContain('destinationPostalCode');
  expect(mapping).not.toContain('"state"');
  const schema = JSON.parse(String(files['schemas/acme/create.request.json'])) as { properties: { receiver: object } };
  expect(schema).toMatchObject({ required: ['receiver'], additionalProperties: false });
  expect(schema.properties.receiver).toMatchObject({
    required: ['postCode'],
    properties: { city: { type: 'string' } },
  });
});

test('elements that differ in what nothing is like stay as they are, and statuses that no word tells are rows to fill in', async () => {
  const goods = [
    { sku: 'CUP-1', description: 'Cups', price: 4.5, taxClass: 'T7', quantity: 3 },
    { sku: 'POT-2', description: 'A pot', price: 19, taxClass: 'T9', quantity: 1 },
  ];
  const { mapping, problems, profile } = await begun({
    'create.request.json': JSON.stringify({ reference: 'AX-1', items: goods }),
    'track.response.json':
      '{ "events": [ { "code": "D1", "text": "delivered" }, { "code": "Q77", "text": "see note" } ] }',
  });
  expect(problems).toEqual([]);
  expect(mapping).toContain('"items": [skuList#$i.{');
  expect(mapping).toContain('"taxClass": /* unconfirmed: nothing in a consignment is like these */ ["T7", "T9"][$i]');
  expect(profile).toContain("    'D1': Order Delivered # unconfirmed: the word is like it (delivered)");
  expect(profile).toContain("    # 'Q77': … # unconfirmed: fill in what it means (see note)");
});

test('what no create is in, what cannot be read and what was not used are told by name', async () => {
  await expect(begun({ 'broken.request.json': '{"a": ' })).rejects.toThrow('broken.request.json cannot be read');
  await expect(begun({ 'notes.txt': 'call us' })).rejects.toThrow('nothing here shows what a create sends');
  const { ignored } = await begun({
    'create.http': HTTP,
    'logo.png': Buffer.from([0x89, 0x50, 0xff, 0x00]),
    'notes.txt': 'call us',
  });
  expect(ignored.join('\n')).toMatch(/logo\.png: it is no text\nnotes\.txt: .*\n.*cookie/s);
});

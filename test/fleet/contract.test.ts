/** The carrier contract, as whoever sends us consignments sees it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { numberOf } from '../../src/fleet/contract/numbers.ts';
import { pdfTexts, readPdf, readZpl } from '../support/barcode.ts';
import { consignment, fleetWorld, furnish } from './world.ts';

const world = fleetWorld();
beforeAll(async () => await furnish(world));
const send = async (body: unknown) => await world.carrier('POST', '/consignments', body);
const errorsOf = async (more: object): Promise<readonly string[]> => {
  const { status, body } = await send(consignment('BAD', more));
  expect(status, JSON.stringify(body)).toBe(400);
  expect(body).toMatchObject({ status: 400, referenceId: 'BAD' });
  return body.errors as string[];
};

const numbered = (trackingNumber: string) => ({
  itemList: [
    {
      itemReferenceNumber: 'P',
      itemQuantity: 1,
      itemWeight: 1,
      itemWeightUom: 'KG',
      itemTrackingNumber: trackingNumber,
    },
  ],
});
const labelOf = async (referenceId: string, labelFormat: string) => {
  const { body } = await send(consignment(referenceId, { labelFormat }));
  const [{ labelUrl, trackingNumber }] = body.itemsTrackDetails;
  return { trackingNumber, bytes: (await world.carrier('GET', new URL(labelUrl).pathname)).body as Buffer };
};

const isNumber = (text: string): boolean => text === numberOf(Number(text.slice('FLT'.length, -1)));

describe('CREATE', () => {
  it('gives each package a number of the series and a label, and a repeat the same', async () => {
    const box = { itemQuantity: 1, itemWeight: 5, itemWeightUom: 'KG' };
    const two = consignment('ONE', {
      itemList: [
        { itemReferenceNumber: 'A', ...box },
        { itemReferenceNumber: 'B', ...box },
      ],
    });
    const first = await send(two);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const { itemsTrackDetails } = first.body;
    expect(itemsTrackDetails).toMatchObject([
      { itemReferenceNumber: 'A', orderNumber: 'O-ONE', carrierCode: 'own_fleet' },
      { itemReferenceNumber: 'B' },
    ]);
    for (const { trackingNumber } of itemsTrackDetails) expect(isNumber(trackingNumber)).toBe(true);
    expect((await send(two)).body.itemsTrackDetails).toEqual(itemsTrackDetails);
  });

  it('is done once, however many come at a time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, async () => await send(consignment('RACE'))));
    expect(new Set(replies.map(({ body }) => body.itemsTrackDetails[0].trackingNumber)).size).toBe(1);
    expect(await world.database.values(`select count(*) from fleet.tasks where reference_id = 'RACE'`)).toEqual([1]);
  });

  it('keeps a number that the package has already, and refuses one that is another’s', async () => {
    const { body } = await send(consignment('OWN', numbered('SHOP-1')));
    expect(body.itemsTrackDetails[0].trackingNumber).toBe('SHOP-1');
    expect(await errorsOf(numbered('SHOP-1'))).toEqual([
      'itemList[0].itemTrackingNumber is that of another package: SHOP-1',
    ]);
  });

  it('refuses the reference of another consignment', async () => {
    await send(consignment('TWICE'));
    const { status, body } = await send(consignment('TWICE', { consignmentNumber: 'OTHER' }));
    expect([status, body.errors]).toEqual([400, ['referenceId is that of consignment C-TWICE']]);
  });

  it('takes no token but that of a link', async () => {
    const { status } = await world.carrier('POST', '/consignments', consignment('X'), {
      Authorization: 'Bearer flt_no',
    });
    expect(status).toBe(401);
  });
});

describe('what nobody of the fleet can ever do is refused with the reason', () => {
  it.each([
    [
      'an unknown skill',
      { info: { routeDetails: { skills: ['crane'] } } },
      'info.routeDetails.skills no driver of depot BER has all of: crane',
    ],
    [
      'an unknown zone',
      { info: { routeDetails: { serviceAreaCode: 'moon' } } },
      'info.routeDetails.serviceAreaCode names moon, which is no zone of the fleet',
    ],
    [
      'a place in no zone',
      { destinationPostalCode: '80331' },
      'destinationPostalCode 80331 (DE) lies in no zone of the fleet',
    ],
    ['no place on earth', { destinationLatitude: '123' }, 'destinationLatitude is none'],
    [
      'a window that ends in some thousand years',
      { destinationPreferredStartTime: '2026-12-01 09:00:00', destinationPreferredEndTime: '9998-12-31 09:00:00' },
      'destinationPreferredEndTime is more than a year ahead',
    ],
    ['less than no weight', { totalWeight: -5 }, 'totalWeight must be between 0 and 1000000'],
    [
      'less than no time',
      {
        skuList: [
          {
            itemReferenceNumber: 'PKG-1',
            skuNumber: 'S',
            skuCode: 'S',
            skuItemName: 'Shelf',
            skuQuantity: 1,
            skuDeliveryServiceTime: -10,
          },
        ],
      },
      'skuList[0].skuDeliveryServiceTime must be between 0 and 1440 minutes',
    ],
    [
      'a vehicle that there is not',
      { info: { routeDetails: { vehicleType: 'boat' } } },
      'info.routeDetails.vehicleType no vehicle of depot BER can carry it: TRUCK-1 is a truck, not a boat; VAN-1 is a van, not a boat',
    ],
    [
      'more than any vehicle carries',
      { totalWeight: 9000 },
      'totalWeight no vehicle of depot BER can carry it: TRUCK-1 carries 3000 kg, and 9000 kg are to be carried; VAN-1 carries 800 kg, and 9000 kg are to be carried',
    ],
    [
      'a vehicle that nobody with the skill may drive',
      { info: { routeDetails: { skills: ['installer'], vehicleType: 'van' } } },
      'info.routeDetails.vehicleType no driver who could do it may drive a vehicle that could carry it',
    ],
    [
      'a window that ends before it begins',
      { destinationPreferredStartTime: '2026-12-02 12:00:00', destinationPreferredEndTime: '2026-12-02 10:00:00' },
      'destinationPreferredEndTime is not after the beginning of the window',
    ],
    [
      'a window that is over',
      { destinationPreferredStartTime: '2026-11-02 09:00:00', destinationPreferredEndTime: '2026-11-02 10:00:00' },
      'destinationPreferredEndTime is over already',
    ],
    [
      'a window when nobody works',
      { destinationPreferredStartTime: '2026-12-02 19:00:00', destinationPreferredEndTime: '2026-12-02 21:00:00' },
      'destinationPreferredStartTime no driver who could do it works long enough in this time',
    ],
    [
      'more time than a shift has',
      { vas: [{ vasCode: 'INSTALLATION', serviceTime: 1000 }] },
      'shippingDateTime no driver who could do it works long enough in this time',
    ],
    [
      'three people',
      {
        itemList: [{ itemReferenceNumber: 'P', itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' }],
        vas: [{ vasCode: 'PIANO' }],
      },
      'vas no crew of 3 at depot BER has the skills asked for',
    ],
  ])('%s', async (_, more, message) => {
    await world.put('service-times', 'PIANO', { stopMinutes: 60, crew: 3 });
    expect(await errorsOf(more)).toEqual([message]);
  });

  it('what is missing from the consignment is named', async () => {
    expect(await errorsOf({ destinationCity: undefined, totalWeight: 'heavy' })).toEqual(
      expect.arrayContaining(['destinationCity is required', 'totalWeight must be a number']),
    );
  });
});

describe('UPDATE and CANCEL', () => {
  it('an update keeps the numbers of packages that stay', async () => {
    const { body } = await send(consignment('UP'));
    const item = { itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' };
    const itemList = [
      { itemReferenceNumber: 'NEW', ...item },
      { itemReferenceNumber: 'PKG-1', ...item },
    ];
    const updated = await send(consignment('UP', { typeOfAction: 'UPDATE', itemList }));
    expect(updated.body.itemsTrackDetails[1]).toEqual(body.itemsTrackDetails[0]);
    expect(updated.body.itemsTrackDetails[0].trackingNumber).not.toBe(body.itemsTrackDetails[0].trackingNumber);
    const gone = await send(consignment('UP', { typeOfAction: 'UPDATE', itemList: itemList.slice(0, 1) }));
    expect(gone.body.itemsTrackDetails).toHaveLength(1);
    expect((await world.carrier('GET', new URL(body.itemsTrackDetails[0].labelUrl).pathname)).status).toBe(404);
  });

  it('an update that nobody could do changes nothing', async () => {
    await send(consignment('KEEP'));
    const { status } = await send(consignment('KEEP', { typeOfAction: 'UPDATE', totalWeight: 9000 }));
    expect(status).toBe(400);
    expect(
      await world.database.values(`select consignment ->> 'totalWeight' from fleet.tasks where reference_id = 'KEEP'`),
    ).toEqual(['10']);
  });

  it('a cancel is confirmed as often as it comes, revokes the label and frees the reference', async () => {
    const { body } = await send(consignment('OFF'));
    const [{ labelUrl, trackingNumber }] = body.itemsTrackDetails;
    for (const _ of [1, 2]) expect((await send(consignment('OFF', { typeOfAction: 'CANCEL' }))).status).toBe(200);
    expect((await world.carrier('GET', new URL(labelUrl).pathname)).status).toBe(404);
    const again = await send(consignment('OFF', { consignmentNumber: 'C-2' }));
    expect(again.body.itemsTrackDetails[0].trackingNumber).not.toBe(trackingNumber);
  });

  it('what was never created is not known', async () => {
    const { status, body } = await send(consignment('NEVER', { typeOfAction: 'CANCEL' }));
    expect([status, body.errors]).toEqual([400, ['referenceId is that of no consignment of yours']]);
  });
});

it('nothing that is sent is read before it is known who sends it', async () => {
  for (const [method, path] of [
    ['POST', '/carrier/consignments'],
    ['POST', '/driver/events'],
    ['PUT', '/driver/proofs/1?stopId=1&kind=photo'],
  ] as const) {
    const headers = { authorization: 'Bearer of-nobody', 'content-type': 'application/json' };
    const { status, body } = await world.ask(method, path, '{ no JSON', headers);
    expect([path, status, body.code]).toEqual([path, 401, 'unauthorized']);
  }
});

it('labels can be read by a scanner, as PDF and as ZPL', async () => {
  const pdf = await labelOf('L-PDF', 'PDF');
  expect(await readPdf(pdf.bytes)).toEqual([[pdf.trackingNumber]]);
  expect((await pdfTexts(pdf.bytes))[0]?.lines).toEqual(
    expect.arrayContaining(['BER / mitte', 'Max Sample', 'Sample Road 22']),
  );
  const zpl = await labelOf('L-ZPL', 'ZPL');
  expect(await readZpl(zpl.bytes.toString())).toEqual([[zpl.trackingNumber]]);
});

it('a check digit finds every digit that is mistyped', () => {
  const number = numberOf(4_711);
  expect(isNumber(number)).toBe(true);
  for (let at = 'FLT'.length; at < number.length; at += 1)
    for (const digit of '0123456789')
      if (digit !== number[at]) expect(isNumber(`${number.slice(0, at)}${digit}${number.slice(at + 1)}`)).toBe(false);
});

import { expect, it } from 'vitest';
import { shipperFields } from '../../../src/engine/consignment/shipper-field.ts';

const PACKAGE = 'consignmentDetails.packageDetails[1]';

it.each<[path: string, ...fields: string[]]>([
  ['consignment.destinationContactNumber', 'shipTo.contact.contactNumber'],
  ['consignment.itemList[1].itemWeight', `${PACKAGE}.weight`],
  ['consignment.itemList[1].itemTrackingNumber', `${PACKAGE}.trackingDetails[0].trackingNumber`],
  ['consignment.itemList[1].tags[0]', `${PACKAGE}.tags[0]`],
  ['item.itemWeight', 'consignmentDetails.packageDetails[].weight'],
  ['items[1].itemWeight', `${PACKAGE}.weight`],
  ['consignment.skuList[2].skuItemName', 'consignmentDetails.skuDetails[2].name'],
  ['consignment.itemList', 'consignmentDetails.packageDetails'],
  ['consignment.itemList[1]', PACKAGE],
  ['items[1]', PACKAGE],
  ['item', 'consignmentDetails.packageDetails[]'],
  ['item.memo.number'],
  ['consignment.vas[0].vasCode', 'consignmentDetails.vas[0].vasCode'],
  ['consignment.info.specialInstructions', 'consignmentDetails.specialInstructions'],
  ['consignment.info.incoterm', 'consignmentDetails.additionalInformation.incoterm'],
  ['consignment.info.consignmentDetails.packageDetails[1].type', `${PACKAGE}.type`],
  ['consignment.info.returnTo.address.line1', 'returnTo.address.line1'],
  ['consignment.shippingDateTime', 'consignmentDetails.shipByDate'],
  ['consignment.typeOfAction'],
  ['consignment.merchantCode'],
  ['consignment.shipper.city'],
  ['settings.account'],
  ['steps.create.body.number'],
  ['remark', 'remark'],
])('%s is %s of the order', (path, ...fields) => {
  expect(shipperFields(path, { originCity: 'Hamburg', shipper: { city: 'Berlin' } })).toEqual(fields);
});

it('what stands for the shipper, or for a missing time, is where it was taken from', () => {
  expect(shipperFields('consignment.shipper.city', { originCity: 'Hamburg', shipper: { city: 'Hamburg' } })).toEqual([
    'shipFrom.address.city',
  ]);
  expect(shipperFields('consignment.shippingDateTime', { originPreferredStartTime: '2026-05-01 09:00:00' })).toEqual([
    'shipFrom.pickupStartDateTime',
  ]);
});

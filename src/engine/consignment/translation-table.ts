import type { Consignment, ConsignmentItem, ConsignmentSku, ConsignmentVas } from './consignment.ts';

/**
 * The shipper's form → the canonical form, one row a field (design.md, "Consignments"; docs/translation.md shows it
 * whole, and a test keeps the two in step). What needs more than its own value is in `translate.ts`.
 */
export interface Row<Target> {
  /** Path in the shipper's form, from the scope of the table. */
  readonly from: string;
  readonly to: keyof Target & string;
  readonly convert?: Conversion;
}

/** `decimal`: a number as plain digits. `addressType`: Residential → RESIDENTIAL, FACILITY → BUSINESS. */
export type Conversion = 'decimal' | 'addressType';

/** From the top of the order. */
export const HEAD_ROWS: readonly Row<Consignment>[] = [
  { from: 'consignmentDetails.referenceNumber', to: 'referenceId' },
  { from: 'consignmentDetails.orderNumber', to: 'orderNumber' },
  { from: 'consignmentDetails.consignmentNumber', to: 'consignmentNumber' },
  { from: 'consignmentDetails.additionalInformation.exchangeOrderNumber', to: 'exchangeOrderNumber' },
  { from: 'consignmentDetails.consignmentType', to: 'typeOfOrder' },
  { from: 'consignmentDetails.totalQuantity', to: 'numberOfShipments' },
  { from: 'consignmentDetails.totalWeight', to: 'totalWeight' },
  { from: 'consignmentDetails.totalWeightUom', to: 'uomTotalWeight' },
  { from: 'consignmentDetails.paymentTobeCollected.paymentMode', to: 'paymentMode' },
  { from: 'consignmentDetails.paymentTobeCollected.amount', to: 'amountToBeCollected' },
  { from: 'consignmentDetails.paymentTobeCollected.currency', to: 'currencyCode' },
  { from: 'consignmentDetails.deliveryInstructions', to: 'deliveryInstructions' },
  { from: 'consignmentDetails.slotToken', to: 'slotToken' },

  { from: 'shipFrom.originFacilityCode', to: 'originCode' },
  { from: 'shipFrom.timezone', to: 'originTimezone' },
  { from: 'shipFrom.pickupStartDateTime', to: 'originPreferredStartTime' },
  { from: 'shipFrom.pickupEndDateTime', to: 'originPreferredEndTime' },
  { from: 'shipFrom.contact.name', to: 'originName' },
  { from: 'shipFrom.contact.name', to: 'originContactPerson' },
  { from: 'shipFrom.contact.companyName', to: 'originCompanyName' },
  { from: 'shipFrom.contact.contactNumber', to: 'originContactNumber' },
  { from: 'shipFrom.contact.secondaryContactNumber', to: 'originContactNumber2' },
  { from: 'shipFrom.contact.email', to: 'originEmail' },
  { from: 'shipFrom.address.code', to: 'originShipFromCode' },
  { from: 'shipFrom.address.type', to: 'originType', convert: 'addressType' },
  { from: 'shipFrom.address.line1', to: 'originAddressLine1' },
  { from: 'shipFrom.address.line2', to: 'originAddressLine2' },
  { from: 'shipFrom.address.line3', to: 'originAddressLine3' },
  { from: 'shipFrom.address.landmark', to: 'originLandmark' },
  { from: 'shipFrom.address.city', to: 'originCity' },
  { from: 'shipFrom.address.county', to: 'originCounty' },
  { from: 'shipFrom.address.state', to: 'originStateProvince' },
  { from: 'shipFrom.address.country', to: 'originCountry' },
  { from: 'shipFrom.address.pincode', to: 'originPostalCode' },
  { from: 'shipFrom.address.poBoxNumber', to: 'originPoBoxNumber' },
  { from: 'shipFrom.address.latitude', to: 'originLatitude', convert: 'decimal' },
  { from: 'shipFrom.address.longitude', to: 'originLongitude', convert: 'decimal' },

  { from: 'shipTo.destinationFacilityCode', to: 'destinationCode' },
  { from: 'shipTo.timezone', to: 'destinationTimezone' },
  { from: 'shipTo.deliveryStartDateTime', to: 'destinationPreferredStartTime' },
  { from: 'shipTo.deliveryEndDateTime', to: 'destinationPreferredEndTime' },
  { from: 'shipTo.contact.name', to: 'destinationName' },
  { from: 'shipTo.contact.name', to: 'destinationContactPerson' },
  { from: 'shipTo.contact.companyName', to: 'destinationCompanyName' },
  { from: 'shipTo.contact.contactNumber', to: 'destinationContactNumber' },
  { from: 'shipTo.contact.secondaryContactNumber', to: 'destinationContactNumber2' },
  { from: 'shipTo.contact.email', to: 'destinationEmail' },
  { from: 'shipTo.address.code', to: 'destinationShipToCode' },
  { from: 'shipTo.address.type', to: 'destinationType', convert: 'addressType' },
  { from: 'shipTo.address.line1', to: 'destinationAddressLine1' },
  { from: 'shipTo.address.line2', to: 'destinationAddressLine2' },
  { from: 'shipTo.address.line3', to: 'destinationAddressLine3' },
  { from: 'shipTo.address.landmark', to: 'destinationLandmark' },
  { from: 'shipTo.address.city', to: 'destinationCity' },
  { from: 'shipTo.address.county', to: 'destinationCounty' },
  { from: 'shipTo.address.state', to: 'destinationStateProvince' },
  { from: 'shipTo.address.country', to: 'destinationCountry' },
  { from: 'shipTo.address.pincode', to: 'destinationPostalCode' },
  { from: 'shipTo.address.poBoxNumber', to: 'destinationPoBoxNumber' },
  { from: 'shipTo.address.latitude', to: 'destinationLatitude', convert: 'decimal' },
  { from: 'shipTo.address.longitude', to: 'destinationLongitude', convert: 'decimal' },
];

/** From one of `consignmentDetails.packageDetails` to its entry of `itemList`. */
export const ITEM_ROWS: readonly Row<ConsignmentItem>[] = [
  { from: 'id', to: 'itemReferenceNumber' },
  { from: 'quantity', to: 'itemQuantity' },
  { from: 'weight', to: 'itemWeight' },
  { from: 'weightUom', to: 'itemWeightUom' },
  { from: 'description', to: 'itemName' },
  { from: 'packageStatus', to: 'itemStatus' },
  { from: 'value', to: 'itemValue' },
  { from: 'instructions', to: 'instructions' },
  { from: 'length', to: 'itemLength' },
  { from: 'width', to: 'itemWidth' },
  { from: 'height', to: 'itemHeight' },
  { from: 'dimensionUom', to: 'itemDimensionUom' },
  { from: 'volume', to: 'itemVolume' },
  { from: 'volumeUom', to: 'itemVolumeUom' },
  { from: 'trackingDetails[0].trackingNumber', to: 'itemTrackingNumber' },
  { from: 'tags', to: 'tags' },
];

/** From one of `consignmentDetails.skuDetails` to its entry of `skuList`. */
export const SKU_ROWS: readonly Row<ConsignmentSku>[] = [
  { from: 'code', to: 'skuCode' },
  { from: 'code', to: 'skuNumber' },
  { from: 'name', to: 'skuItemName' },
  { from: 'quantity', to: 'skuQuantity' },
  { from: 'description', to: 'skuItemDescription' },
  { from: 'weight', to: 'skuWeight' },
  { from: 'weightUom', to: 'skuWeightUom' },
  { from: 'category', to: 'skuCategory' },
  { from: 'unitPrice', to: 'skuItemUnitPrice', convert: 'decimal' },
  { from: 'length', to: 'skuLength' },
  { from: 'width', to: 'skuWidth' },
  { from: 'height', to: 'skuHeight' },
  { from: 'dimensionUom', to: 'skuDimensionUom' },
  { from: 'volume', to: 'skuVolume' },
  { from: 'volumeUom', to: 'skuVolumeUom' },
  { from: 'hsnName', to: 'skuHsnCode' },
  { from: 'originCountry', to: 'skuOriginCountry' },
  { from: 'deliveryServiceTime', to: 'skuDeliveryServiceTime' },
  { from: 'pickupServiceTime', to: 'skuPickupServiceTime' },
  { from: 'lineItemNo', to: 'skuLineItemNo' },
  { from: 'uom', to: 'skuUom' },
  { from: 'imageUrl', to: 'skuImageUrl' },
];

/** From one of `consignmentDetails.vas` to its entry of `vas`. */
export const VAS_ROWS: readonly Row<ConsignmentVas>[] = [
  { from: 'vasCode', to: 'vasCode' },
  { from: 'level', to: 'level' },
  { from: 'serviceTime', to: 'serviceTime' },
  { from: 'remark', to: 'remark' },
];

/** Fields that `translate.ts` fills from more than one value or from outside the order, and from what. */
export const DERIVED: readonly { readonly to: string; readonly from: string }[] = [
  { to: 'typeOfService', from: 'consignmentDetails.serviceType' },
  { to: 'typeOfAction', from: '(the operation)' },
  { to: 'carrierCode', from: 'carrier.code' },
  { to: 'merchantCode', from: "(the shipper's registered details)" },
  { to: 'shipperTaxNumber', from: "(the shipper's registered details)" },
  { to: 'shipper', from: "(the shipper's registered details)" },
  { to: 'billTo', from: "(the shipper's registered details)" },
  { to: 'totalQuantity', from: 'consignmentDetails.packageDetails[].quantity' },
  { to: 'totalVolume', from: 'consignmentDetails.totalVolume' },
  { to: 'totalVolumeUom', from: 'consignmentDetails.totalVolumeUom' },
  { to: 'shippingDateTime', from: 'shipFrom.pickupStartDateTime' },
  { to: 'labelFormat', from: 'consignmentDetails.labelFormat' },
  { to: 'info.specialInstructions', from: 'consignmentDetails.specialInstructions' },
  { to: 'skuList[].itemReferenceNumber', from: 'consignmentDetails.skuDetails[].packageIds' },
  { to: 'vas[].targetIds', from: 'consignmentDetails.vas[].targetIds' },
];

/** Fields of the contract that the shipper's form has nothing for. */
export const WITHOUT_SOURCE: readonly string[] = [
  'invoiceValue',
  'itemList[].itemCode',
  'itemList[].itemSpecialInstruction',
  'itemList[].itemDeliveryServiceTime',
  'skuList[].skuItemSequence',
];

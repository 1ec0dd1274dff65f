/** A carrier's answer to a request of the contract: a number for each package. */
export interface Asked {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

export const answerOf = ({ referenceId, orderNumber, carrierCode, itemList }: Asked) => ({
  status: 200,
  referenceId,
  timestamp: Date.now(),
  itemsTrackDetails: itemList.map(({ itemReferenceNumber }) => ({
    itemReferenceNumber,
    trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
    carrierCode,
    orderNumber,
  })),
});

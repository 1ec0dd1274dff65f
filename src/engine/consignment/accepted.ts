import type { Label } from './answer.ts';

/** What a carrier gave us for one package. */
export interface AcceptedPackage {
  readonly itemReferenceNumber: string;
  readonly trackingNumber: string;
  readonly label?: Label | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
}

/** A carrier's acceptance of a consignment, checked: one entry for each package, in the packages' order. */
export interface Accepted {
  readonly packages: readonly AcceptedPackage[];
  readonly masterTrackingNumber?: string | undefined;
  /** One document for all packages. */
  readonly label?: Label | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

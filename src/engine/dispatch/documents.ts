/** Customs documents that requests attach: drawn from the order for the steps that read them. */
import type { Consignment } from '../consignment/consignment.ts';
import { type CustomsDocument, lackingOf } from '../labels/customs.ts';
import type { Step } from '../profile/carrier.ts';
import { once } from '../value.ts';
import type { Ports, Run } from './ports.ts';
import type { CallScope } from './scope.ts';

/** By their names in the root `documents`. */
export const ATTACHED = {
  commercialInvoice: 'commercial-invoice',
  cn22: 'cn22',
  cn23: 'cn23',
} as const satisfies Readonly<Record<string, CustomsDocument>>;
type Name = keyof typeof ATTACHED;

/** Those that a part of the step's request reads: all where it reads the root in another way than by a name. */
const readBy = once(({ url, headers, query, body }: Step): readonly Name[] => {
  const parts = [url, ...Object.values(headers), ...Object.values(query), body?.content];
  const texts = parts.flatMap((part) => part?.text ?? []);
  const names = Object.keys(ATTACHED) as Name[];
  const uses = texts.flatMap((text) => [...text.matchAll(/\bdocuments\b(?:\s*\.\s*(\w+))?/g)].map(([, name]) => name));
  return uses.some((name) => !names.includes(name as Name)) ? names : names.filter((name) => uses.includes(name));
}, new WeakMap());

/** The root `documents` of a request, in Base64; undefined: it has none. Alike for each repeat of the request. */
export const documentsOf = async (
  { inputs, nowMs }: Run,
  { drawCustoms }: Pick<Ports, 'drawCustoms'>,
  step: Step,
  { item }: Pick<CallScope, 'item'>,
): Promise<Readonly<Partial<Record<Name, string>>> | undefined> => {
  const names = readBy(step);
  const whole = inputs.consignment as Consignment | undefined;
  if (drawCustoms === undefined || names.length === 0 || whole === undefined) return undefined;
  if (whole.originCountry === whole.destinationCountry) return undefined;
  const { packages = [] } = (inputs.shipment ?? {}) as Shipment;
  const { itemReferenceNumber: own } = (item ?? {}) as { readonly itemReferenceNumber?: unknown };
  const at = whole.itemList.findIndex(({ itemReferenceNumber }) => itemReferenceNumber === own);
  const consignment = at === -1 ? whole : { ...whole, itemList: whole.itemList.slice(at, at + 1) };
  const numbers = whole.itemList.map((_, position) => packages[position]?.trackingNumber);
  const trackingNumbers = at === -1 ? numbers : numbers.slice(at, at + 1);
  const drawn: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const kind = ATTACHED[name];
    if (lackingOf(kind, whole).length > 0) continue;
    drawn[name] = (await drawCustoms(kind, { consignment, trackingNumbers, nowMs })).toString('base64');
  }
  return drawn;
};

interface Shipment {
  readonly packages?: readonly { readonly trackingNumber?: string }[];
}

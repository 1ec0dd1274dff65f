/** A carrier with a tariff and transit times, and what they say. */
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import type { EvaluationContext } from '../../../src/engine/mapping/mapping.ts';
import { formatFinding } from '../../../src/engine/profile/finding.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { priceByTariff } from '../../../src/engine/rates/price.ts';
import { HEAD, shipped } from '../profile/profiles.ts';

const context: EvaluationContext = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

/** `files`: by their names in `carriers/tariffs` and `carriers/transit`. */
export const carrierWith = (profile: string, files: Readonly<Record<string, string>>) => {
  const paths = Object.entries(files).map(([name, text]) => [`carriers/${name}`, text] as const);
  const home = memoryFiles({
    'carriers/acme.yaml': `${HEAD}extends: contract\n${profile}`,
    ...Object.fromEntries(paths),
  });
  const { carrier, findings } = loadCarrier('acme', { home, shipped });
  if (carrier === undefined || findings.length > 0) throw new Error(findings.map(formatFinding).join('\n'));
  return carrier;
};

const ITEM = { itemReferenceNumber: 'P1', itemQuantity: 1, itemWeight: 1, itemWeightUom: 'KG' } as const;

/** A consignment from Berlin to Munich of one package of 1 kg, with what differs. */
export const consignmentOf = (
  change: Partial<Consignment> = {},
  items: readonly Partial<Consignment['itemList'][number]>[] = [{}],
): Consignment => {
  const itemList = items.map((item, at) => ({ ...ITEM, itemReferenceNumber: `P${at + 1}`, ...item }));
  return {
    shippingDateTime: '2026-03-02 09:00:00',
    originCountry: 'DE',
    originPostalCode: '10115',
    destinationCountry: 'DE',
    destinationPostalCode: '80331',
    totalWeight: itemList.reduce((sum, { itemWeight }) => sum + itemWeight, 0),
    uomTotalWeight: 'KG',
    ...change,
    itemList,
  } as Consignment;
};

type WithTariff = ReturnType<typeof carrierWith>;

/** The offers, by service; else what is wrong. */
export const priced = async (carrier: WithTariff, consignment: Consignment, service?: string) => {
  const found = await priceByTariff(carrier.tariffs, consignment, service, context);
  return 'failed' in found
    ? { code: found.failed.code, messages: found.failed.messages, fields: found.failed.fields }
    : found.offers;
};

/** The total of the one offer. */
export const totalOf = async (carrier: WithTariff, consignment: Consignment, service?: string): Promise<number> => {
  const offers = await priced(carrier, consignment, service);
  if (!Array.isArray(offers) || offers[0] === undefined) throw new Error(JSON.stringify(offers));
  return (offers[0] as { total: number }).total;
};

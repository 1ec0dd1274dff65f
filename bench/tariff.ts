import { memoryFiles } from '../src/engine/profile/home-files.ts';
import { loadCarrier } from '../src/engine/profile/load.ts';
import { priceByTariff } from '../src/engine/rates/price.ts';
import type { Contender } from './measure.ts';

const ZONES = 200;
const BRACKETS = 30;

/** A tariff of 200 zones and 30 brackets; what goes to one of its zones is priced. */
export const tariffContender = (): Contender => {
  const zones = Array.from({ length: ZONES }, (_, at) => `z${at}`);
  const rows = Array.from({ length: BRACKETS }, (_, at) =>
    [at + 1, ...zones.map((_, zone) => 4 + at + zone)].join(','),
  );
  const { carrier, findings } = loadCarrier('acme', {
    home: memoryFiles({
      'carriers/acme.yaml':
        "carrier: acme\nenvironments: { production: { url: 'https://acme.example' } }\ntariff: acme\noperations: { probe: { get: / } }\n",
      'carriers/tariffs/acme.yaml':
        'tariff: acme\ncurrency: EUR\nper: package\nvolumetric: 5000\nfuel: 12\ntax: 19\nzones: zones.csv\nservices: { STANDARD: { prices: prices.csv } }\n' +
        'surcharges: [ { code: RES, when: "consignment.destinationType = \'RESIDENTIAL\'", amount: 2 } ]\n',
      'carriers/tariffs/zones.csv': [
        'zone,countries,postcodes',
        ...zones.map((zone, at) => `${zone},DE,${100 + at}*`),
      ].join('\n'),
      'carriers/tariffs/prices.csv': [`to,${zones.join(',')}`, ...rows].join('\n'),
    }),
    shipped: memoryFiles({}),
  });
  if (carrier === undefined) throw new Error(JSON.stringify(findings));
  const item = { itemReferenceNumber: 'P', itemQuantity: 1, itemWeight: 29.5, itemWeightUom: 'KG' };
  const consignment = {
    shippingDateTime: '2026-03-02 09:00:00',
    originCountry: 'DE',
    originPostalCode: '10115',
    destinationCountry: 'DE',
    destinationPostalCode: '29900',
    totalWeight: 59,
    uomTotalWeight: 'KG',
    destinationType: 'RESIDENTIAL',
    itemList: [item, item],
  } as unknown as Parameters<typeof priceByTariff>[1];
  const context = { tables: {}, time: carrier.time, nowMs: 0, drawn: () => '' };
  return () => priceByTariff(carrier.tariffs, consignment, undefined, context);
};

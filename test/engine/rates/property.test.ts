import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { carrierWith, consignmentOf, priced, totalOf } from './tariffs.ts';

const PROFILE = 'tariff: acme\nservices: { Express: { typeOfService: EXPRESS } }\n';

/** A table whose prices do not fall, with a step above it. */
const tables = fc
  .record({
    steps: fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 2_000 })), {
      minLength: 1,
      maxLength: 12,
    }),
    above: fc.integer({ min: 0, max: 500 }),
    keys: fc.constantFrom(
      '',
      'weightStep: 0.5',
      'volumetric: 5000',
      'minimum: 7',
      'per: package',
      'fuel: 12.5',
      'tax: 19',
    ),
    currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
    discount: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ steps, above, keys, currency, discount }) => {
    let [weight, price] = [0, 0];
    const rows = steps.map(([kg, more]) => {
      [weight, price] = [weight + kg, price + more];
      return `${weight},${(price / 100).toFixed(2)}`;
    });
    const table = ['to,home', ...rows, `+1,${(above / 100).toFixed(2)}`].join('\n');
    const surcharges = discount === 0 ? '' : `surcharges: [ { code: WEB, amount: -${discount} } ]\n`;
    const files = {
      'tariffs/acme.yaml': `tariff: acme\ncurrency: ${currency}\nzones: { home: { countries: [DE] } }\nservices: { Express: { prices: p.csv } }\n${keys}\n${surcharges}`,
      'tariffs/p.csv': table,
    };
    return { carrier: carrierWith(PROFILE, files), currency };
  });

const of = (itemWeight: number) => consignmentOf({}, [{ itemWeight }]);

test('what is heavier never costs less, no price is below 0, and the currency is that of the tariff', async () => {
  const grams = fc.integer({ min: 1, max: 700_000 });
  await fc.assert(
    fc.asyncProperty(tables, grams, grams, async ({ carrier, currency }, one, other) => {
      const [light, heavy] = [Math.min(one, other) / 1000, Math.max(one, other) / 1000];
      const [less, more] = [await totalOf(carrier, of(light)), await totalOf(carrier, of(heavy))];
      expect(less).toBeGreaterThanOrEqual(0);
      expect(more).toBeGreaterThanOrEqual(less);
      expect(await priced(carrier, of(heavy))).toMatchObject([{ currency }]);
    }),
    { numRuns: 60 },
  );
});

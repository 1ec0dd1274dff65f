import { expect, test } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import type { ChoiceContext } from '../../../src/engine/policy/choice.ts';
import { choose } from '../../../src/engine/policy/choose.ts';
import { formatFinding, hasErrors } from '../../../src/engine/profile/finding.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadHome } from '../../../src/engine/profile/load.ts';
import { consignmentOf } from '../rates/tariffs.ts';

/** Two with tariffs, one with an operation rates, one without prices. */
const CARRIERS: Readonly<Record<string, string>> = {
  blue: 'tariff: blue\ntransit: blue\n',
  grey: 'tariff: grey\ntransit: grey\ncapabilities: { cod: false, to: [DE, FR], vas: [] }\nrequires: [destinationEmail]\n',
  plum: 'rates: asked',
  bare: 'labels: { formats: [PDF] }\n',
};
const tariffOf = (name: string, price: number, currency = 'EUR'): string =>
  `tariff: ${name}\ncurrency: ${currency}\nzones: { home: { countries: [DE] } }\nservices: { STANDARD: { prices: "to,home\\n5,${price}\\n" } }\n`;
const transitOf = (name: string, days: number): string =>
  `transit: ${name}\ncutOff: { mon-sun: '20:00' }\nservices: { STANDARD: { days: { '*': ${days} } } }\n`;

const profileOf = (code: string, more: string): string => {
  const rates = "  rates: { post: /r, result: '[]' }\n";
  const keys = more === 'rates: asked' ? '' : more;
  return `carrier: ${code}\nenvironments: { production: { url: 'https://${code}.example' } }\n${keys}operations:\n  create: { post: /c, result: '{ "itemsTrackDetails": response.body.n }' }\n${keys === '' ? rates : ''}`;
};

const home = (policy: string) => {
  const profiles = Object.entries(CARRIERS).map(([code, more]) => [`carriers/${code}.yaml`, profileOf(code, more)]);
  const { carriers, policies, findings } = loadHome({
    home: memoryFiles({
      ...Object.fromEntries(profiles),
      'carriers/tariffs/blue.yaml': tariffOf('blue', 5),
      'carriers/tariffs/grey.yaml': tariffOf('grey', 5.5, 'USD'),
      'carriers/transit/blue.yaml': transitOf('blue', 3),
      'carriers/transit/grey.yaml': transitOf('grey', 1),
      'carriers/policies/p.yaml': `policy: p\n${policy}`,
    }),
    shipped: memoryFiles({}),
  });
  const found = policies.get('p');
  if (found === undefined || hasErrors(findings)) throw new Error(findings.map(formatFinding).join('\n'));
  return { policy: found, carriers: [...carriers.values()] };
};

const ORDER: Partial<Consignment> = {
  referenceId: 'R-1',
  typeOfOrder: 'FORWARD',
  typeOfAction: 'CREATE',
  destinationEmail: 'a@example.com',
};

interface Given extends Partial<ChoiceContext> {
  readonly order?: Partial<Consignment>;
  readonly noAccount?: string;
  readonly away?: string;
}

/** `carrier` in rank order, and `carrier: code` of the others. */
const chosen = async (
  { policy, carriers }: ReturnType<typeof home>,
  { order, noAccount, away, ...context }: Given = {},
): Promise<readonly string[]> => {
  const candidates = carriers.map((carrier) => ({
    carrier,
    hasAccount: carrier.code !== noAccount,
    openBreaker: carrier.code === away,
  }));
  const consignment = consignmentOf({ ...ORDER, ...order });
  const choice = await choose(policy, consignment, candidates, { nowMs: 0, serviceType: 'STANDARD', ...context });
  expect(JSON.parse(JSON.stringify(choice))).toEqual(choice);
  return choice.considered.map(({ carrier, excluded }) =>
    excluded === undefined ? carrier : `${carrier}: ${excluded.code}`,
  );
};

const TWO = 'carriers: [blue, grey]\ncurrency: EUR\nexchange: { USD: 0.8 }\n';

test.each([
  ['rank: first\n', ['blue', 'grey']],
  ['rank: cheapest\n', ['grey', 'blue']],
  ['rank: fastest\n', ['grey', 'blue']],
  ['rank: best\nweights: { price: 1, days: 0 }\n', ['grey', 'blue']],
] as const)('%s has its order', async (rank, expected) => {
  expect((await chosen(home(`${TWO}${rank}`))).slice(0, 2)).toEqual(expected);
});

test('a price in a currency that cannot be compared comes last', async () => {
  const found = await chosen(home('carriers: [grey, blue]\nrank: cheapest\ncurrency: EUR\n'));
  expect(found.slice(0, 2)).toEqual(['blue', 'grey']);
});

test.each([
  ['no account', { noAccount: 'blue' }, 'blue: account_known'],
  ['an open breaker', { away: 'blue' }, 'blue: breaker_open'],
  ['cash on delivery', { order: { paymentMode: 'COD' } }, 'grey: capability'],
  ['a value-added service', { order: { vas: [{ vasCode: 'INSTALLATION' }] } }, 'grey: capability'],
  ['a country', { order: { destinationCountry: 'PL' } }, 'grey: capability'],
  ['a weight beyond the tariff', { order: { totalWeight: 9 } }, 'blue: tariff_no_price'],
  ['a country without a zone', { order: { destinationCountry: 'FR' } }, 'blue: tariff_no_zone'],
  ['a label format', { labelFormat: 'ZPL' }, 'blue: label_format'],
  ['a service', { serviceType: 'Overnight' }, 'blue: service_known'],
  ['a field that is required', { order: { destinationEmail: undefined } as never }, 'grey: carrier_needs'],
] as const)('%s leaves a carrier out, and says so', async (_, given, expected) => {
  expect(await chosen(home(TWO), given as Given)).toContain(expected);
});

test('the first rule that is for the order decides, and who is in none is named', async () => {
  const rules = `rules:
  - { name: far, to: { countries: [FR] }, carriers: [grey] }
  - { name: heavy, when: consignment.totalWeight > 2, carriers: [{ carrier: bare, when: consignment.totalWeight < 4 }] }
`;
  const opened = home(`${rules}${TWO}`);
  expect(await chosen(opened)).toEqual(['blue', 'grey', 'bare: not_in_rule', 'plum: not_in_rule']);
  expect((await chosen(opened, { order: { totalWeight: 3 } }))[0]).toBe('bare');
  expect(await chosen(opened, { order: { totalWeight: 5 } })).toContain('bare: filtered');
});
test('carriers that give prices themselves are asked only where the rank needs it, and named where they are not', async () => {
  const policy = 'carriers: [plum, blue]\nrank: cheapest\n';
  expect((await chosen(home(policy)))[0]).toBe('blue');
  const asked: string[] = [];
  const quote: NonNullable<ChoiceContext['quote']> = async ({ code }) => {
    asked.push(code);
    return await Promise.resolve({ offers: [{ service: 'STANDARD', total: 1, currency: 'EUR' }] });
  };
  expect((await chosen(home(policy), { quote }))[0]).toBe('plum');
  await chosen(home('carriers: [plum, blue]\n'), { quote });
  expect(asked).toEqual(['plum']);
});

const SHARED = 'rank: shares\ncarriers: [{ carrier: blue, share: 60 }, { carrier: bare, share: 40 }]\n';

test('shares come out as written, are the same for the same reference, and stay where one drops out', async () => {
  const opened = home(SHARED);
  const firsts: (string | undefined)[] = [];
  for (let at = 0; at < 1_000; at += 1) firsts.push((await chosen(opened, { order: { referenceId: `R-${at}` } }))[0]);
  const blue = firsts.filter((first) => first === 'blue').length;
  expect(blue).toBeGreaterThan(550);
  expect(blue).toBeLessThan(650);
  expect((await chosen(opened, { order: { referenceId: 'R-7' } }))[0]).toBe(firsts[7]);
  expect((await chosen(opened, { order: { referenceId: 'R-7' }, away: 'blue' }))[0]).toBe('bare');
});

test('who has not got its minimum comes first, by the day, week or month of the time zone', async () => {
  const opened = home(
    `timeZone: Europe/Berlin\ncarriers: [blue, { carrier: bare, minimum: { orders: 10, per: month } }]\n`,
  );
  const since: number[] = [];
  const volumeOf =
    (got: number): NonNullable<ChoiceContext['volume']> =>
    (_, sinceMs) => {
      since.push(sinceMs);
      return got;
    };
  const nowMs = Date.parse('2026-05-14T12:00:00Z');
  expect((await chosen(opened, { nowMs, volume: volumeOf(9) }))[0]).toBe('bare');
  expect((await chosen(opened, { nowMs, volume: volumeOf(10) }))[0]).toBe('blue');
  expect(since).toEqual([Date.parse('2026-04-30T22:00:00Z'), Date.parse('2026-04-30T22:00:00Z')]);
});

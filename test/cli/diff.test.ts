import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ACME, homeWith, PING } from './home.ts';

const push = (code: string): string =>
  JSON.stringify({ value: 'A1', carrierStatusCode: code, statusReceivedAt: '2026-05-01 09:00:00' });

/** A home whose first state is committed. */
const committed = (more: Readonly<Record<string, string>> = {}) => {
  const home = homeWith({
    ...more,
    'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n`,
    'carriers/other.yaml': ACME.replace('carrier: acme', 'carrier: other'),
    'fixtures/acme/ping.yaml': PING,
    'pushes.jsonl': [push('MOVING'), push('NDL'), push('NDL')].join('\n'),
  });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', home.home, '-c', 'user.name=Example', '-c', 'user.email=example@example.com', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return { ...home, git };
};

test('without a change nothing changes', async () => {
  expect(await committed().run('diff')).toEqual({ code: 0, out: 'nothing changes\n', error: '' });
});

test('a change that no traffic sees is told as such', async () => {
  const { change, run } = committed();
  change('carriers/acme.yaml', 'name: Acme', 'name: Acme Parcels');
  const { code, out } = await run('diff', 'acme');
  expect(code).toBe(0);
  expect(out).toMatch(/^acme: [0-9a-f]{12} → [0-9a-f]{12}: nothing changes for 1 payloads\n$/);
});

test('the cases of a carrier show what another URL does', async () => {
  const { change, run } = committed();
  change('carriers/acme.yaml', 'get: /ping', "get: /ping, query: { deep: '1' }");
  const { code, out } = await run('diff');
  expect(code).toBe(1);
  expect(out).toContain('1 of 1  probe: URL "https://api.acme.example/ping" → "https://api.acme.example/ping?deep=1"');
});

test('recorded traffic shows which statuses change, as text, Markdown and JSON', async () => {
  const { change, run, json } = committed();
  change('carriers/acme.yaml', 'MOVING: In Transit', 'MOVING: In Transit, NDL: Delivery Failed');
  const args = ['diff', 'acme', '--traffic', 'pushes.jsonl'];
  const text = await run(...args);
  expect(text.code).toBe(1);
  expect(text.out).toContain('2 of 3  status `NDL`: Unmapped → Delivery Failed\n');
  expect(text.out).toContain('at pushes.jsonl:2, pushes.jsonl:3\n');
  expect((await run(...args, '--format', 'markdown')).out).toContain(
    '| 2 of 3 | status `NDL`: Unmapped → Delivery Failed | pushes.jsonl:2, pushes.jsonl:3 |',
  );
  const examples = [{ at: 'pushes.jsonl:2', from: 'Unmapped', to: 'Delivery Failed' }, { at: 'pushes.jsonl:3' }];
  const effect = { kind: 'status', deed: 'push', subject: 'NDL', change: 'changed', payloads: 2, of: 3, examples };
  expect((await json(...args)).value).toMatchObject({
    ok: false,
    to: 'working tree',
    broken: 0,
    carriers: [{ carrier: 'acme', state: 'compared', payloads: 3, changed: 2, effects: [effect] }],
  });
});

test('a carrier that does not load any more, is new or is gone is told', async () => {
  const { change, run, git } = committed();
  change('carriers/acme.yaml', 'name: Acme', 'nam: Acme');
  git('mv', 'carriers/other.yaml', 'carriers/third.yaml');
  change('carriers/third.yaml', 'carrier: other', 'carrier: third');
  const { code, out } = await run('diff');
  expect(code).toBe(1);
  expect(out).toMatch(/^acme: does not load any more: carriers\/acme.yaml:2:1 .*\nother: is gone\nthird: is new\n$/s);
});

test.each([
  [['--from', '--upload-pack=x'], '"--upload-pack=x" is neither "working tree", a commit of'],
  [['acne'], 'did you mean "acme"?'],
])('%j is misuse: %s', (args, why) => committed().misuse(['diff', ...args], why));

const tariff = (name: string, price: number): string =>
  `tariff: ${name}\ncurrency: EUR\nzones: { home: { countries: [DE] } }\nservices: { STANDARD: { prices: "to,home\\n5,${price}\\n" } }\n`;
const transit = (name: string, days: number): string =>
  `transit: ${name}\ncutOff: { mon-sun: '23:00' }\nservices: { STANDARD: { days: { '*': ${days} } } }\n`;
const carrier = (code: string): string =>
  `${ACME.replace('carrier: acme', `carrier: ${code}`)}tariff: ${code}\ntransit: ${code}\n`;

test('a changed policy shows which orders go elsewhere, in money and days', async () => {
  const { change, run, json } = committed({
    'carriers/blue.yaml': carrier('blue'),
    'carriers/grey.yaml': carrier('grey'),
    'carriers/tariffs/blue.yaml': tariff('blue', 5),
    'carriers/tariffs/grey.yaml': tariff('grey', 6.5),
    'carriers/transit/blue.yaml': transit('blue', 3),
    'carriers/transit/grey.yaml': transit('grey', 1),
    'carriers/policies/std.yaml': 'policy: std\ncarriers: [blue, grey]\nrank: cheapest\n',
    'orders.jsonl': ['R-1', 'R-2'].map((reference) => JSON.stringify(orderOf(reference))).join('\n'),
    'order.json': JSON.stringify(orderOf('R-1')),
  });
  expect((await run('diff', '--traffic', 'orders.jsonl')).out).toBe('nothing changes\n');
  change('carriers/policies/std.yaml', 'cheapest', 'fastest');
  const { code, out } = await run('diff', '--traffic', 'orders.jsonl');
  expect(code).toBe(1);
  expect(out).toBe(
    [
      'policy std: 2 of 2 orders go elsewhere',
      '  EUR 10.00 → 13.00 (+3.00)',
      '  −2.00 days on average',
      '  blue: 2 → 0 orders',
      '  grey: 0 → 2 orders',
      '          2  blue/STANDARD → grey/STANDARD: +3.00 EUR, −2.00 days  at orders.jsonl:1, orders.jsonl:2',
      '',
    ].join('\n'),
  );
  const { value } = await json('diff', 'std', '--traffic', 'orders.jsonl');
  expect(value).toMatchObject({
    ok: false,
    broken: 0,
    carriers: [],
    policies: [{ policy: 'std', orders: 2, moved: 2 }],
  });
  expect((await run('diff', '--traffic', 'orders.jsonl', '--format', 'markdown')).out).toContain(
    '| 2 | blue/STANDARD → grey',
  );
  const asked = ['choose', 'std', '--consignment', 'order.json', '--away', 'blue'];
  expect(await json(...asked)).toMatchObject({
    code: 0,
    value: {
      ok: true,
      policy: 'std',
      considered: [
        { carrier: 'grey', service: 'STANDARD', rank: 1, offer: { total: 6.5, currency: 'EUR' } },
        { carrier: 'blue', excluded: { code: 'breaker_open' } },
      ],
    },
  });
  expect((await run(...asked)).out).toContain(
    ' 1. grey STANDARD: 6.50 EUR, by 2026-05-05 23:59:59\n  – blue: it fails',
  );
  expect((await run(...asked, '--label-format', 'ZPL')).out).toContain('no carrier is left');
});

const orderOf = (referenceNumber: string) => {
  const contact = { name: 'Example Person', contactNumber: '+4940555' };
  const address = { line1: 'Example Street 1', city: 'Berlin', county: 'Mitte', pincode: '10115', country: 'DE' };
  const box = {
    type: 'Carton',
    length: 1,
    width: 1,
    height: 1,
    dimensionUom: 'CM',
    weight: 1,
    weightUom: 'KG',
    quantity: 1,
  };
  return {
    consignmentDetails: {
      referenceNumber,
      orderNumber: 'O-1',
      consignmentNumber: 'C-1',
      consignmentType: 'FORWARD',
      serviceType: 'STANDARD',
      shipByDate: '2026-05-04',
      totalWeight: 1,
      totalWeightUom: 'KG',
      totalQuantity: 1,
      packageDetails: [{ id: 'P-1', ...box }],
    },
    carrier: { code: 'std' },
    shipFrom: { contact, address },
    shipTo: { contact, address },
  };
};

import { describe, expect, test } from 'vitest';
import { differencesOf, startGrouping } from '../../../src/workbench/replay/difference.ts';
import type { Observation, SeenEvent, SeenRequest } from '../../../src/workbench/replay/observation.ts';
import {
  differencesAsMarkdown,
  differencesAsText,
  describeDifference,
} from '../../../src/workbench/replay/show-differences.ts';

const request = (change: Partial<SeenRequest> = {}): SeenRequest => ({
  method: 'POST',
  url: 'https://api.acme.example/v1/parcels',
  headers: { accept: 'application/json' },
  body: { reference: 'R1', parcels: [{ weight: 1.25 }, { weight: 3 }] },
  ...change,
});
const seen = (change: Partial<Observation> = {}): Observation => ({
  action: 'create',
  outcome: 'succeed',
  requests: [request()],
  result: { itemsTrackDetails: [{ trackingNumber: 'A1' }] },
  labels: { 'PKG-1': 'PDF' },
  events: [],
  ...change,
});
const event = (status: SeenEvent['status'], change: Partial<SeenEvent> = {}): SeenEvent => ({
  carrierStatus: 'NDL/7',
  status,
  reason: undefined,
  occurredAt: '2026-05-01T09:00:00.000Z',
  update: { value: 'A1' },
  warnings: [],
  ...change,
});
/** In words, one payload having gone through both versions. */
const said = (from: Observation, to: Observation): string[] => {
  const grouping = startGrouping();
  grouping.add('a.jsonl:1', [from.action], differencesOf([from], [to]));
  return grouping.groups().map(describeDifference);
};
const body = (parcels: unknown, reference: unknown = 'R1'): Observation =>
  seen({ requests: [request({ body: { reference, parcels } })] });

const push = (one: SeenEvent): Observation => ({ action: 'push', outcome: 'admitted', requests: [], events: [one] });

describe('what changes is said by what it means', () => {
  test('nothing', () => expect(said(seen(), seen())).toEqual([]));

  test.each([
    [body([{ weight: 1.3 }, { weight: 3 }]), '`parcels[].weight` rounded: 1.25 → 1.3'],
    [body([{ weight: 1.2 }, { weight: 3 }]), '`parcels[].weight` rounded: 1.25 → 1.2'],
    [body([{ weight: 7 }, { weight: 3 }]), '`parcels[].weight` changed: 1.25 → 7'],
    [body([{ weight: '1.25' }, { weight: 3 }]), '`parcels[].weight` another type: 1.25 → "1.25"'],
    [body([{}, { weight: 3 }]), '`parcels[].weight` gone, was 1.25'],
    [body([{ weight: 1.25, unit: 'KG' }, { weight: 3 }]), '`parcels[].unit` added: "KG"'],
    [body([{ weight: 1.25 }, { weight: 3 }], 'r1'), '`reference` other case: "R1" → "r1"'],
    [body([{ weight: 1.25 }, { weight: 3 }], 'R'), '`reference` cut: "R1" → "R"'],
  ])('of a body (%#)', (to, says) => expect(said(seen(), to)).toEqual([`create: ${says}`]));

  const asking = (...changes: readonly Partial<SeenRequest>[]) =>
    seen({ requests: changes.map((one) => request(one)) });
  const login = { url: 'https://api.acme.example/login', body: undefined };
  const [one, two] = ['https://api.acme.example/v1/parcels', 'https://api.acme.example/v2/parcels'];
  const delayed = (hour: number) => push(event('Delayed', { occurredAt: `2026-05-01T${hour}:00:00.000Z` }));
  const refused = seen({ outcome: 'reject', code: 'E7', result: undefined, labels: undefined });
  const renumbered = seen({ result: { itemsTrackDetails: [{ trackingNumber: 'A2' }] } });
  const failed = push(event('Delivery Failed', { reason: 'NOT_HOME' }));
  test.each<[string, says: string, to: Observation, from?: Observation]>([
    ['a header', 'request header `x-site` added: "7"', asking({ headers: { 'x-site': '7' } }), asking({ headers: {} })],
    ['a URL', `URL "${one}" → "${two}"`, asking({ url: two })],
    ['a request more', 'one request more, `POST https://api.acme.example/login`', asking(login, {})],
    ['a request less', 'no request `POST https://api.acme.example/login` any more', seen(), asking(login, {})],
    ['a label', 'label no longer found, was "PDF"', seen({ labels: {} })],
    ['an outcome, which hides its result', 'succeed → reject: E7', refused],
    ['a result', 'result `itemsTrackDetails[].trackingNumber` changed: "A1" → "A2"', renumbered],
  ])('of %s', (_, says, to, from = seen()) => expect(said(from, to)).toEqual([`create: ${says}`]));

  test('of a status and of its time', () => {
    expect(said(push(event('Unmapped')), failed)).toEqual(['status `NDL/7`: Unmapped → Delivery Failed (NOT_HOME)']);
    expect(said(delayed(10), delayed(11))).toEqual([
      'push: of an event, `occurredAt` changed: "2026-05-01T10:00:00.000Z" → "2026-05-01T11:00:00.000Z"',
    ]);
  });
});

describe('many payloads', () => {
  const grouping = startGrouping();
  for (let at = 0; at < 9_300; at += 1) {
    const to = at < 412 ? body([{ weight: 1.3 }, { weight: 3.1 }]) : seen();
    grouping.add(`a.jsonl:${at + 1}`, ['create'], differencesOf([seen()], [to]));
  }
  const differences = grouping.groups();
  const versions = { from: 'a'.repeat(64), to: 'b'.repeat(64) };
  const acme = { carrier: 'acme', state: 'compared', ...versions, payloads: 9_300, changed: 412, differences } as const;

  test('are counted once for each change, with the first places', () => {
    expect(grouping).toMatchObject({ payloads: 9_300, changed: 412 });
    expect(differences.map(({ change, payloads, of }) => [change, payloads, of])).toEqual([
      ['rounded', 412, 9_300],
      ['changed', 412, 9_300],
    ]);
    expect(differencesAsText([acme])).toContain(
      '    412 of 9,300  create: `parcels[].weight` rounded: 1.25 → 1.3\n                    at a.jsonl:1, a.jsonl:2, a.jsonl:3, …\n',
    );
  });

  test('are a table for a review, in which nothing of a carrier becomes markup', () => {
    expect(differencesAsMarkdown([acme])).toContain(
      '| 412 of 9,300 | create: `parcels[].weight` rounded: 1.25 → 1.3 | a.jsonl:1, a.jsonl:2, a.jsonl:3, … |',
    );
    const odd = startGrouping();
    odd.add('x:1', ['create'], differencesOf([seen()], [seen({ outcome: 'reject', code: 'a|<b>' })]));
    const table = differencesAsMarkdown([{ ...acme, differences: odd.groups() }]);
    expect(table).toContain(String.raw`create: succeed → reject: a\|\<b\>`);
  });
});

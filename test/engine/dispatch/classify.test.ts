import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/engine/dispatch/answer.ts';
import { isTrue, classifyResponse, type Classification } from '../../../src/engine/dispatch/classify.ts';
import { carrierOf } from './world.ts';

const profile = (outcomes: string, codec = 'json'): string => `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    response: ${codec}
    result: '{ "itemsTrackDetails": [] }'
${outcomes === '' ? '' : `outcomes:\n${outcomes}\n`}`;

interface Case {
  readonly outcomes?: string;
  readonly codec?: string;
  readonly status: number;
  readonly body?: string;
  readonly isRead?: boolean;
  readonly hasToken?: boolean;
}

const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

const verdictOf = async ({
  outcomes = '',
  codec = 'json',
  status,
  body = '{}',
  isRead = false,
  hasToken = false,
}: Case): Promise<Classification> => {
  const step = carrierOf(profile(outcomes, codec)).operations.create?.steps[0];
  if (step === undefined) throw new Error('no step');
  const read = readAnswer(step, { status, headers: {}, body: Buffer.from(body) });
  return await classifyResponse(step.outcomes, read, { isRead, hasToken }, { response: read.answer }, context);
};
const wordOf = async (given: Case): Promise<string> => (await verdictOf(given)).word;

const soap = (code: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:${code}</faultcode><faultstring>no such postcode</faultstring></s:Fault></s:Body></s:Envelope>`;

describe('without rules', () => {
  it.each([
    [200, 'succeed'],
    [201, 'succeed'],
    [204, 'succeed'],
    [202, 'succeed'],
    [400, 'reject'],
    [404, 'reject'],
    [409, 'reject'],
    [422, 'reject'],
    [401, 'config_error'],
    [403, 'config_error'],
    [408, 'unknown_outcome'],
    [429, 'retry'],
    [500, 'unknown_outcome'],
    [502, 'unknown_outcome'],
    [503, 'unknown_outcome'],
    [301, 'unknown_outcome'],
    [302, 'unknown_outcome'],
    [304, 'unknown_outcome'],
  ])('a %i is %s', async (status, word) => {
    expect(await wordOf({ status })).toBe(word);
  });

  it('what is unclear is asked again where nothing can be changed by asking', async () => {
    for (const status of [302, 408, 500, 503]) expect(await wordOf({ status, isRead: true })).toBe('retry');
    expect(await wordOf({ status: 200, body: '<html>', isRead: true })).toBe('retry');
  });

  it('a 200 that does not decode is unknown, an empty one is a success', async () => {
    expect(await wordOf({ status: 200, body: '<html>' })).toBe('unknown_outcome');
    expect(await wordOf({ status: 200, body: '' })).toBe('succeed');
  });

  it('a 401 asks for a new token where there is one', async () => {
    expect(await wordOf({ status: 401, hasToken: true })).toBe('refresh_auth');
    expect(await wordOf({ status: 403, hasToken: true })).toBe('config_error');
  });

  it.each([
    ['Client', 500, 'reject'],
    ['Client.Validation', 500, 'reject'],
    ['Client', 200, 'reject'],
    ['Sender', 500, 'reject'],
    ['Server', 500, 'unknown_outcome'],
    ['Server', 200, 'unknown_outcome'],
    ['Client', 401, 'config_error'],
  ])('a SOAP fault %s with %i is %s', async (code, status, word) => {
    expect(await wordOf({ codec: 'soap', status, body: soap(code) })).toBe(word);
  });

  it('a refusal in short plain words is quoted, anything else counted only', async () => {
    expect(await verdictOf({ status: 400, codec: 'text', body: ' postcode unknown\n' })).toMatchObject({
      problem: { messages: ['postcode unknown'] },
    });
    for (const body of ['<html><p>no</p>', '{"a":1}', 'x'.repeat(301)]) {
      expect(await verdictOf({ status: 400, codec: 'text', body })).toMatchObject({
        problem: { messages: ['the carrier refused the request (400)'] },
      });
    }
  });
});

describe('rules', () => {
  it('are read from the top; status and when must both hold', async () => {
    const outcomes = `  - { status: 404, when: "response.body.gone = true", do: succeed }
  - { status: [404, 410], do: fail }
  - { status: 4xx, do: retry }`;
    expect(await wordOf({ outcomes, status: 404, body: '{"gone":true}' })).toBe('succeed');
    expect(await wordOf({ outcomes, status: 404 })).toBe('fail');
    expect(await wordOf({ outcomes, status: 410 })).toBe('fail');
    expect(await wordOf({ outcomes, status: 499 })).toBe('retry');
    expect(await wordOf({ outcomes, status: 500 })).toBe('unknown_outcome');
  });

  it.each([401, 403, 408, 429, 500, 503])('without a status are not asked about a %i', async (status) => {
    const outcomes = '  - { when: "true", do: reject }';
    expect(await wordOf({ outcomes, status })).not.toBe('reject');
    expect(await wordOf({ outcomes: outcomes.replace('{ ', `{ status: ${status}, `), status })).toBe('reject');
  });

  it('without a status are asked about a SOAP fault, which comes as 500, and about what the built-ins do not keep', async () => {
    const outcomes = '  - { when: "$contains(response.text, \'postcode\')", do: fail }';
    expect(await wordOf({ outcomes, codec: 'soap', status: 500, body: soap('Server') })).toBe('fail');
    expect(await wordOf({ outcomes, codec: 'soap', status: 401, body: soap('Server') })).toBe('config_error');
    for (const status of [200, 404])
      expect(await wordOf({ outcomes, codec: 'text', status, body: 'postcode' })).toBe('fail');
  });

  it('say code and messages, in whatever form the carrier has them', async () => {
    const outcomes = '  - { when: response.body.e, do: reject, code: response.body.e.c, messages: response.body.e.m }';
    const body = JSON.stringify({ e: { c: 17, m: ['first', '', null, { field: 'zip' }, 5] } });
    expect(await verdictOf({ outcomes, status: 200, body })).toEqual({
      word: 'reject',
      problem: {
        code: '17',
        messages: ['first', '{"field":"zip"}', '5'],
        place: expect.objectContaining({ file: 'carriers/acme.yaml', line: 10 }) as unknown,
      },
    });
  });

  it('keep what they say within bounds', async () => {
    const outcomes = '  - { status: 400, do: reject, messages: response.body.m }';
    const m = Array.from({ length: 200 }, () => 'x'.repeat(5_000));
    const verdict = await verdictOf({ outcomes, status: 400, body: JSON.stringify({ m }) });
    if (verdict.word === 'succeed') throw new Error('succeeded');
    expect(verdict.problem.messages).toHaveLength(50);
    expect(verdict.problem.messages[0]).toHaveLength(1_000);
  });

  it('that fail to evaluate throw where they stand', async () => {
    const outcomes = '  - { when: "$number(response.body.n) > 1", do: reject }';
    await expect(verdictOf({ outcomes, status: 200, body: '{"n":"many"}' })).rejects.toMatchObject({
      place: { line: 10 },
    });
  });
});

describe('the truth of a value', () => {
  it.each([
    [undefined, false],
    [null, false],
    [0, false],
    ['', false],
    [false, false],
    [{}, false],
    [[], false],
    [[0, ''], false],
    [1, true],
    ['no', true],
    [{ a: 1 }, true],
    [[0, 1], true],
    [[[[1]]], true],
  ])('%j is %s', (value, truth) => {
    expect(isTrue(value)).toBe(truth);
  });
});

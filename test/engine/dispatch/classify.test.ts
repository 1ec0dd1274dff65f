import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/engine/dispatch/answer.ts';
import { isTrue, classifyResponse, type Classification } from '../../../src/engine/dispatch/classify.ts';
import { carrierOf, profileOf } from './world.ts';

interface Case {
  readonly status: number;
  /** Lines of `outcomes`. */
  readonly rules?: string;
  readonly codec?: string;
  readonly body?: string;
  readonly isRead?: boolean;
  readonly hasToken?: boolean;
}

const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

const classified = async (given: Case): Promise<Classification> => {
  const { status, rules = '', codec = 'json', body = '{}', isRead = false, hasToken = false } = given;
  const create = `create: { post: /orders, response: ${codec}, result: '{ "itemsTrackDetails": [] }' }`;
  const [step] = carrierOf(profileOf(create, rules === '' ? '' : `outcomes:\n${rules}`)).operations.create!.steps;
  const read = readAnswer(step, { status, headers: {}, body: Buffer.from(body) });
  return await classifyResponse(step.outcomes, read, { isRead, hasToken }, { response: read.answer }, context);
};
const wordOf = async (given: Case): Promise<string> => (await classified(given)).word;

const soap = (code: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:${code}</faultcode><faultstring>no such postcode</faultstring></s:Fault></s:Body></s:Envelope>`;

describe('without rules', () => {
  it.each([
    ['succeed', [200, 201, 202, 204]],
    ['reject', [400, 409, 410, 422]],
    ['config_error', [401, 403, 404, 405]],
    ['retry', [429]],
    ['unknown_outcome', [301, 302, 304, 408, 500, 502, 503]],
  ])('the word is %s for %j', async (word, statuses) => {
    for (const status of statuses) expect(await wordOf({ status })).toBe(word);
  });

  it.each<[string, Case, string]>([
    ['a 302 of a read', { status: 302, isRead: true }, 'retry'],
    ['a 408 of a read', { status: 408, isRead: true }, 'retry'],
    ['a 500 of a read', { status: 500, isRead: true }, 'retry'],
    ['a 404 of a read', { status: 404, isRead: true }, 'reject'],
    ['a 503 of a read', { status: 503, isRead: true }, 'retry'],
    ['a 200 of a read that does not decode', { status: 200, body: '<html>', isRead: true }, 'retry'],
    ['a 200 that does not decode', { status: 200, body: '<html>' }, 'unknown_outcome'],
    ['an empty 200', { status: 200, body: '' }, 'succeed'],
    ['a 401 where a token was used', { status: 401, hasToken: true }, 'refresh_auth'],
    ['a 403 where a token was used', { status: 403, hasToken: true }, 'config_error'],
  ])('%s has its own', async (_, given, word) => {
    expect(await wordOf(given)).toBe(word);
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

  it.each([
    [401, '{"fault":{"message":"Invalid API key"}}', ['the carrier refuses our credentials (401)', 'Invalid API key']],
    [
      401,
      '{"error":"invalid_client","error_description":"Unknown client"}',
      ['(401)', 'invalid_client', 'Unknown client'],
    ],
    [403, 'Account is blocked', ['(403)', 'Account is blocked']],
    [404, '{"title":"Not Found"}', ['there is no such endpoint at the carrier (404)', 'Not Found']],
    [500, '{"errors":[{"code":7,"detail":"Database is away"}]}', ['the carrier answered 500', 'Database is away']],
    [503, '{"errors":["In maintenance until six"]}', ['the carrier answered 503', 'In maintenance until six']],
    [400, '{"errors":["No such postcode","No such street"]}', ['No such postcode', 'No such street']],
  ])('a %i with %s keeps the carrier’s words', async (status, body, words) => {
    const found = await classified({ status, body });
    if (!('problem' in found)) throw new Error('it succeeded');
    const { messages } = found.problem;
    expect(messages).toHaveLength(words.length);
    for (const [at, one] of words.entries()) expect(messages[at]).toContain(one);
  });

  it('words of an answer are bounded in number, length and depth', async () => {
    const deep = '{"message":'.repeat(9) + '"deep"' + '}'.repeat(9);
    const long = JSON.stringify({ errors: Array.from({ length: 90 }, (_, at) => `${at} ${'x'.repeat(900)}`) });
    expect(await classified({ status: 400, body: deep })).toMatchObject({
      problem: { messages: ['the carrier refused the request (400)'] },
    });
    const found = await classified({ status: 400, body: long });
    if (!('problem' in found)) throw new Error('it succeeded');
    expect(found.problem.messages).toHaveLength(5);
    for (const message of found.problem.messages) expect(message.length).toBeLessThanOrEqual(300);
  });

  it.each([
    [' postcode unknown\n', 'postcode unknown'],
    ['<html><p>no</p>', 'the carrier refused the request (400)'],
    ['{"a":1}', 'the carrier refused the request (400)'],
    ['x'.repeat(301), 'the carrier refused the request (400)'],
  ])('a refusal by %j says %j', async (body, message) => {
    expect(await classified({ status: 400, codec: 'text', body })).toMatchObject({ problem: { messages: [message] } });
  });
});

describe('rules', () => {
  const ordered = `  - { status: 404, when: "response.body.gone = true", do: succeed }
  - { status: [404, 410], do: fail }
  - { status: 4xx, do: retry }`;

  it.each([
    [404, '{"gone":true}', 'succeed'],
    [404, '{}', 'fail'],
    [410, '{}', 'fail'],
    [499, '{}', 'retry'],
    [500, '{}', 'unknown_outcome'],
  ])('are read from the top; status and when must both hold: %i with %s is %s', async (status, body, word) => {
    expect(await wordOf({ rules: ordered, status, body })).toBe(word);
  });

  it.each([401, 403, 408, 429, 500, 503])('without a status are not asked about a %i', async (status) => {
    const rules = '  - { when: "true", do: reject }';
    expect(await wordOf({ rules, status })).not.toBe('reject');
    expect(await wordOf({ rules: rules.replace('{ ', `{ status: ${status}, `), status })).toBe('reject');
  });

  it.each([
    [500, 'soap', 'fail'],
    [401, 'soap', 'config_error'],
    [200, 'text', 'fail'],
    [404, 'text', 'fail'],
  ])('without a status, and a %i in %s: %s, as SOAP faults come by 500', async (status, codec, word) => {
    const rules = '  - { when: "$contains(response.text, \'postcode\')", do: fail }';
    expect(await wordOf({ rules, codec, status, body: codec === 'soap' ? soap('Server') : 'postcode' })).toBe(word);
  });

  it('say code and messages, in whatever form the carrier has them', async () => {
    const rules = '  - { when: response.body.e, do: reject, code: response.body.e.c, messages: response.body.e.m }';
    const body = JSON.stringify({ e: { c: 17, m: ['first', '', null, { field: 'zip' }, 5] } });
    const place = expect.objectContaining({ file: 'carriers/acme.yaml', line: 9 }) as unknown;
    const problem = { code: '17', messages: ['first', '{"field":"zip"}', '5'], place };
    expect(await classified({ rules, status: 200, body })).toEqual({ word: 'reject', problem });
  });

  it('keep what they say within bounds', async () => {
    const rules = '  - { status: 400, do: reject, messages: response.body.m }';
    const body = JSON.stringify({ m: Array.from({ length: 200 }, () => 'x'.repeat(5_000)) });
    const messages = Array.from({ length: 50 }, () => 'x'.repeat(1_000));
    expect(await classified({ rules, status: 400, body })).toMatchObject({ problem: { messages } });
  });

  it('that fail to evaluate throw where they stand', async () => {
    const rules = '  - { when: "$number(response.body.n) > 1", do: reject }';
    const failing = classified({ rules, status: 200, body: '{"n":"many"}' });
    await expect(failing).rejects.toMatchObject({ place: { line: 9 } });
  });
});

describe('the truth of a value', () => {
  it.each([
    [false, [undefined, null, 0, '', false, {}, [], [0, '']]],
    [true, [1, 'no', { a: 1 }, [0, 1], [[[1]]]]],
  ])('is %s for %j', (truth, values) => {
    expect(values.map(isTrue)).toEqual(values.map(() => truth));
  });
});

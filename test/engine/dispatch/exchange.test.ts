import { describe, expect, it } from 'vitest';
import { describeExchange, maskProblem } from '../../../src/engine/dispatch/exchange.ts';
import type { Problem } from '../../../src/engine/failure.ts';
import type { WireOutcome, WireRequest } from '../../../src/engine/transport/wire.ts';
import { createMask } from '../../../src/engine/transport/masking.ts';
import { answer, reset } from './world.ts';

const SECRET = 'p&ss "word"-1';
const mask = createMask([{ name: 'password', value: SECRET }]);
const request: WireRequest = {
  method: 'POST',
  url: `https://api.acme.example/?p=${encodeURIComponent(SECRET)}`,
  headers: { 'x-note': SECRET, authorization: 'Basic abc' },
  body: Buffer.from(JSON.stringify({ password: SECRET, user: 'erika' })),
};
const answered = answer(200, { echo: SECRET, number: 'T1' }, { 'set-cookie': 'sid=1', 'x-ticket': 'ticket-1' });
const describing = (operation = 'create', wire: WireOutcome = answered, reason?: Problem) => {
  const outcome = reason === undefined ? 'succeed' : 'unknown_outcome';
  const made = { step: 'create', element: 2, operation, attempt: 3, atMs: 1, durationMs: 2, outcome };
  return describeExchange(mask, made, request, wire, reason);
};
const textOf = (one: ReturnType<typeof describeExchange>): string =>
  JSON.stringify({ ...one, requestBody: one.requestBody?.toString(), responseBody: one.responseBody?.toString() });

describe('an exchange as people see it', () => {
  it('says what happened, without the secrets in any of their spellings', () => {
    const exchange = describing();
    const made = { step: 'create', element: 2, attempt: 3, method: 'POST', status: 200, outcome: 'succeed' };
    expect(exchange).toMatchObject(made);
    expect(exchange.requestBody?.toString()).toBe('{"password":"***password***","user":"erika"}');
    expect(exchange.url).toBe('https://api.acme.example/?p=***password***');
    expect(textOf(exchange)).not.toMatch(/p&ss|p%26ss|Basic abc|sid=1/);
  });

  it.each(['login', 'register'])(
    'of a %s has no body either way, and of the answer only plain headers',
    (operation) => {
      const exchange = describing(operation);
      const responseHeaders = { 'content-type': 'application/json' };
      expect(exchange).toMatchObject({ requestBody: undefined, responseBody: undefined, status: 200, responseHeaders });
      expect(textOf(exchange)).not.toContain('ticket-1');
    },
  );

  it('of a login that was refused keeps the carrier’s answer, masked, and never what was sent', () => {
    const body = Buffer.from(JSON.stringify({ error: 'invalid_client', hint: SECRET, access_token: 'ticket-2' }));
    const exchange = describing('login', { kind: 'answer', status: 401, headers: {}, body });
    expect(exchange.requestBody).toBeUndefined();
    expect(exchange.responseBody?.toString()).toContain('invalid_client');
    expect(textOf(exchange)).not.toMatch(/p&ss|ticket-2/);
  });

  it('without an answer says why, with the place', () => {
    const place = { file: 'carriers/acme.yaml', line: 3, column: 5 };
    const reason = { code: 'timeout', messages: [`no answer to ${SECRET}`], place };
    const exchange = describing('create', reset, reason);
    expect(exchange).toMatchObject({ status: undefined, responseBody: undefined, outcome: 'unknown_outcome' });
    expect(exchange.message).toBe('timeout: no answer to ***password*** (carriers/acme.yaml:3:5)');
  });

  it('of a body that was cut has the status it began with', () => {
    const cut = { kind: 'ambiguous', code: 'body_cut', message: 'cut', partial: { status: 201 } } as const;
    expect(describing('create', cut).status).toBe(201);
  });
});

it('a problem is masked in its code and all messages', () => {
  const masked = { code: '***password***', messages: ['a', 'b ***password***'] };
  expect(maskProblem(mask, { code: SECRET, messages: ['a', `b ${SECRET}`] })).toEqual(masked);
});

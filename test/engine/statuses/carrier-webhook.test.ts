import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadBundle } from '../../../src/engine/profile/load.ts';
import { admitWebhook, mapWebhook, type WebhookScene } from '../../../src/engine/statuses/carrier-webhook.ts';

const TOKEN = 'token-0123456789';
const SHARED = 'shared-from-a-variable';

/** Kept texts are compiled without lint, so that a profile may say here what no new one may. */
const sceneOf = (webhook: string): WebhookScene => {
  const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://acme.example', proof: '\${credentials.token}' } }
credentials: { token: { secret: true } }
settings: { shared: {} }
operations: { cancel: { delete: /orders } }
statuses:
  webhook:
    auth: { bearer: { token: '\${credentials.token}' } }
${webhook.replaceAll(/^(?=.)/gm, '    ')}
`;
  const { carrier, findings } = loadBundle({ code: 'acme', files: { 'carriers/acme.yaml': profile } });
  if (carrier?.statuses.webhook === undefined) throw new Error(JSON.stringify(findings));
  return {
    carrier,
    webhook: carrier.statuses.webhook,
    account: {
      id: 1,
      version: 1,
      credentials: { token: TOKEN },
      settings: { shared: SHARED },
      fromVariables: [{ name: 'shared', value: SHARED }],
    },
    environment: 'production',
    webhookUrl: 'https://ours.example/hook/1',
    nowMs: 0,
  };
};

const request = (query = '', body: unknown = {}, token?: string) => ({
  method: 'POST',
  url: `https://ours.example/hook/1${query}`,
  headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  body: Buffer.from(JSON.stringify(body)),
});

const replyTo = async (reply: string, query = '?hello=abc') => {
  const scene = sceneOf(`handshake: { when: request.query.hello, reply: ${reply} }\nevents: '[]'`);
  const admitted = await admitWebhook(scene, request(query));
  if (admitted.kind === 'refused') throw new Error(admitted.why);
  const { headers, body } = admitted.reply;
  return { headers, text: body?.toString() };
};

describe('a reply, which anyone can ask for', () => {
  it.each([
    ['a credential', "{ json: { is: '${credentials.token}' } }", '{}'],
    ['all of them', "{ json: { is: '${$string($$.credentials)}' } }", '{}'],
    ['a value of the environment made from one', "{ json: { is: '${environment.proof}' } }", '{}'],
    ['a setting that comes from a variable', "{ text: '<${settings.shared}>' }", '<***shared***>'],
    ['that in base64', "{ text: '<${$base64(settings.shared)}>' }", '<***shared***>'],
    [
      'what is hashed with it',
      `{ json: { is: "\${$hmac('sha256', settings.shared, request.query.hello)}" } }`,
      '{"is":"***derived***"}',
    ],
  ])('holds no secret: %s', async (_, reply, text) => {
    expect(await replyTo(reply)).toMatchObject({ text });
  });

  it('holds none in a header either', async () => {
    const { headers } = await replyTo("{ headers: { X-A: '<${settings.shared}>', X-B: '${request.query.hello}' } }");
    expect(headers).toEqual({ 'x-a': '<***shared***>', 'x-b': 'abc' });
  });

  it('may still depend on one: whether the request is a handshake', async () => {
    const scene = sceneOf(
      "handshake: { when: request.query.proof = credentials.token, reply: { text: OK } }\nevents: '[]'",
    );
    expect(await admitWebhook(scene, request(`?proof=${TOKEN}`))).toMatchObject({ kind: 'handshake' });
    expect(await admitWebhook(scene, request('?proof=guessed'))).toMatchObject({ kind: 'refused', status: 401 });
  });
});

describe('a handshake whose challenge is to be signed', () => {
  const signed = `handshake:
  when: request.query.hello
  signature: { algorithm: hmac-sha256, key: '\${credentials.token}', over: '\${request.query.hello}', encoding: base64 }
  reply: { json: { response: 'sha256=\${signature}' } }
events: '[]'`;
  const answerTo = async (query: string) => await admitWebhook(sceneOf(signed), request(query));

  it.each(['abc', 'a-b_c.9~', 'dGVzdA==', 'v0:1700000000:abc'])(
    'is answered with the HMAC of %s',
    async (challenge) => {
      const admitted = await answerTo(`?hello=${encodeURIComponent(challenge)}`);
      const expected = createHmac('sha256', TOKEN).update(challenge).digest('base64');
      expect(admitted).toMatchObject({ kind: 'handshake', reply: { status: 200 } });
      const { body } = (admitted as { readonly reply: { readonly body?: Buffer } }).reply;
      expect(JSON.parse(String(body))).toEqual({ response: `sha256=${expected}` });
    },
  );

  it.each(['{"events":[]}', '<events/>', 'status=delivered', 'a=1&b=2', 'two words', '["x"]', 'x'.repeat(1_001)])(
    'gives nobody the signature of what might be a push: %s',
    async (challenge) => {
      const query = `?hello=${encodeURIComponent(challenge)}`;
      expect(await answerTo(query)).toMatchObject({ kind: 'refused', status: 401 });
    },
  );
});

it.each([
  ['to be sent back', "reply: { text: '${request.query.challenge}' }"],
  ['to be sent back in a document', "reply: { xml: { challenge: '${request.query.challenge}' } }"],
  [
    'to be signed',
    "signature: { algorithm: hmac-sha256, key: '${credentials.token}', over: '${request.query.challenge}' }, reply: { text: '${signature}' }",
  ],
])('a handshake without the challenge that is %s is a wrong request', async (_, rest) => {
  const scene = sceneOf(`handshake: { when: request.query.mode = 'subscribe', ${rest} }\nevents: '[]'`);
  expect(await admitWebhook(scene, request('?mode=subscribe'))).toMatchObject({ kind: 'refused', status: 400 });
  expect(await admitWebhook(scene, request('?mode=subscribe&challenge=abc'))).toMatchObject({ kind: 'handshake' });
});

it('events hold no secret, though the carrier sent it along', async () => {
  const scene = sceneOf(
    `events: '{ "value": request.body.number, "carrierStatusDescription": request.body.text & settings.shared }'`,
  );
  const push = request('', { number: 'T1', text: `by ${TOKEN}, ` }, TOKEN);
  expect(await mapWebhook(scene, push)).toEqual([
    { value: 'T1', carrierStatusDescription: 'by ***token***, ***shared***' },
  ]);
});

import { expect, test } from 'vitest';
import { begun, expectParts } from './begun.ts';

const BODY = '{"reference":"AX-2209","to":{"street":"Probeallee 12","zip":"50667","city":"Köln","country":"DEU"}}';
const ANSWER = '{ "trackingNumber": "ZX001" }';
const EVENTS = '{ "events": [ { "code": "DELIVERED", "time": "2026-05-01T09:00:00Z" } ] }';
const API = 'https://api.parcelmaker.example/v1';

interface Sent {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: string;
  readonly userinfo?: string;
}
const CALLS = {
  create: { line: ['POST', '/shipments'], answer: ANSWER, fields: BODY },
  track: { line: ['GET', '/tracking/{id}'], answer: EVENTS, fields: '' },
  cancel: { line: ['POST', '/shipments/{id}/cancel'], answer: '{}', fields: '{}' },
  'another call': { line: ['POST', '/prices'], answer: '{}', fields: '{}' },
} as const;

const messageOf = (role: keyof typeof CALLS, { query = '', body = '', headers = '', userinfo = '' }: Sent): string => {
  const { line, answer, fields } = CALLS[role];
  const [method, path] = line;
  const sent =
    body === '' ? fields : `${fields.slice(0, -1)}${fields.length > 2 ? ',' : '{'.repeat(+(fields === ''))}${body}}`;
  const url = `${API.replace('//', `//${userinfo}`)}${path}${query === '' ? '' : `?${query}`}`;
  return `### ${role}\n${method} ${url}\nContent-Type: application/json\n${headers}\n${sent}\n\nHTTP/1.1 200 OK\nContent-Type: application/json\n\n${answer}\n\n`;
};

const curl = (method: string, path: string, query: string, body = ''): string =>
  `curl -X ${method} "${API}${path}?${query}" ${body}\n`;

const USER = 'depot-user7';
const KEY = 'KEYKEYKEY1';
const PASSWORD = 'pw1+23/45';
const SHORT = 'pw42';
const NEVER = [USER, KEY, PASSWORD, encodeURIComponent(PASSWORD), SHORT, Buffer.from(PASSWORD).toString('base64')];
const encoded = encodeURIComponent(PASSWORD);

const PLACES: Readonly<Record<string, Sent>> = {
  'the query': { query: `dry=0&key=${KEY}&password=${encoded}&username=${USER}&pin=${SHORT}&user[pass]=other-${KEY}` },
  'the body': {
    body: `"login":{"username":"${USER}","password":"${PASSWORD}","apiKey":"${KEY}"},"options":[{"name":"password","value":"${SHORT}"}],"raw":"{\\"token\\":\\"${KEY}9\\"}"`,
  },
  'the headers': {
    headers: `X-Api-Key: ${KEY}\nX-Password: ${PASSWORD}\nX-User: ${USER}\nX-Back: https://x.example/?pw=${SHORT}\n`,
  },
  'the user of the URL': { userinfo: `${USER}:${encoded}@` },
  'a user in the header': {
    headers: `Authorization: Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}\n`,
  },
};

test.each(
  (Object.keys(CALLS) as (keyof typeof CALLS)[]).flatMap((role) =>
    Object.keys(PLACES).map((place) => [role, place] as const),
  ),
)('what a call (%s) proves itself with in %s is neither written nor printed', async (role, place) => {
  const sent = PLACES[place] ?? {};
  const others = (Object.keys(CALLS) as (keyof typeof CALLS)[]).map((one) => messageOf(one, one === role ? sent : {}));
  const { files, ignored, problems } = await begun({ 'calls.http': others.join('') });
  expect(problems).toEqual([]);
  const told = [...Object.entries(files).map(([path, content]) => `${path}\n${content.toString()}`), ...ignored];
  for (const value of NEVER) expect(told.filter((text) => text.includes(value))).toEqual([]);
});

test('each parameter of a URL that is the account’s becomes a credential, of every call', async () => {
  const { profile, files, problems } = await begun({
    'calls.sh': `${curl('POST', '/shipments', 'key=KEYKEYKEY1&password=pw12345678&format=json', `-H 'Content-Type: application/json' -d '${BODY}'`)}
${curl('GET', '/tracking/{id}', 'session_key=sk-99&carrier=x')}${EVENTS}
${curl('DELETE', '/shipments/{id}', 'access_token=tok-1&account=4711')}`,
  });
  expect(problems).toEqual([]);
  expectParts(profile, [
    "apiKey: { query: 'key'",
    "post: '/v1/shipments?password=${credentials.password}&format=json'",
    "get: '/v1/tracking/${item.trackingNumber}?session_key=${credentials.sessionKey}&carrier=x'",
    "delete: '/v1/shipments/${item.trackingNumber}?access_token=${credentials.accessToken}&account=${settings.account}'",
  ]);
  expect(String(files['fixtures/acme/create.yaml'])).toContain('password=example-password');
});

test('of the URL of a call that is not used no parameter is printed, however short', async () => {
  const { ignored } = await begun({
    'calls.http': `${messageOf('create', {})}${messageOf('another call', { query: 'pin=42' })}`,
  });
  expect(ignored.join('\n')).toMatch(/post https:.*\/prices is no create/);
});

test('a value that nothing tells apart from what has to be written is refused, by its name', async () => {
  const sample = messageOf('create', { query: 'password=DELIVERED' });
  const refused = begun({ 'calls.http': `${sample}${messageOf('track', {})}` });
  await expect(refused).rejects.toThrow(
    'the value of "password" would also stand in carriers/acme.yaml: nothing was written',
  );
  await expect(refused).rejects.not.toThrow('DELIVERED');
});

test('the login’s address and a user’s password in SOAP are lifted, too', async () => {
  const { profile, written } = await begun({
    'a.sh': `curl 'https://x.example/oauth/token?client_secret=s3cret-long' -d grant_type=client_credentials
curl https://x.example/parcels -H 'Content-Type: text/xml' -d '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><Security><Username>depot-user7</Username><Password Type="text">geheim-4711</Password></Security></s:Header><s:Body><Create><City>Oslo</City></Create></s:Body></s:Envelope>'`,
  });
  expect(profile).toContain("tokenUrl: '/oauth/token?client_secret=${credentials.clientSecret}'");
  expect(written.join()).not.toMatch(/s3cret-long|geheim-4711|depot-user7/);
});

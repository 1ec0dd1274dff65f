import { expect, test } from 'vitest';
import { checked } from './profiles.ts';

const withRest = (text: string): string =>
  `${text}\ncarrier: acme\nenvironments: { production: { url: 'https://acme.example' } }\n`;

test('all findings come at once, each in its place', () => {
  const found = checked(
    'carrier: acme\nheders: { a: b }\nlimits:\n  timeout: 30\n  concurrency: "8"\noperations:\n  creat: {}\n',
  );
  expect(found).toEqual([
    'carriers/acme.yaml:1:1 error missing-key: the profile needs "environments"',
    'carriers/acme.yaml:2:1 error unknown-key: "heders" is not known in the profile (did you mean "headers"?)',
    'carriers/acme.yaml:4:12 error wrong-value: timeout must be a duration, not "30" (such as 500ms, 30s, 5m, 2h or 45d)',
    'carriers/acme.yaml:5:16 error wrong-value: concurrency must be a whole number from 1 to 1000, not "8" (without quotes)',
    'carriers/acme.yaml:7:3 error unknown-key: "creat" is not known in operations (did you mean "create"?)',
  ]);
});

test.each([
  ['name: { a: b }', 'wrong-type: name must be plain text, not a map'],
  ['memo: orderId', 'wrong-type: memo must be a list, not text'],
  [
    'credentials: { key: { secret: "true" } }',
    'wrong-value: secret must be true or false, not "true" (without quotes)',
  ],
  ['credentials: { key: { secret: yes } }', 'wrong-value: secret must be true or false, not "yes"'],
  ['outcomes: [ { status: 6xx, do: reject } ]', 'wrong-value: status must be a status, not "6xx"'],
  ['statuses: { table: { X: { status: In Transt } } }', 'did you mean "In Transit"?'],
  ['statuses: { poll: { every: { In Transt: 2h } } }', 'unknown-status: there is no "In Transt"'],
  ['statuses: { table: { X: { status: Lost, reason: HOME } } }', 'did you mean "NOT_HOME"?'],
  ['operations: { create: { post: /, body: { json: a, xml: b } } }', 'too-many: body has both "json" and "xml"'],
  ['auths: { login: {} }', 'missing-key: login needs one of basic, bearer'],
  ['statuses: { webhook: { events: x, auth: { oauth2: {} } } }', 'unknown-key: "oauth2" is not known in auth'],
  ['outcomes: [ { status: 404 } ]', 'missing-key: outcomes[0] needs "do"'],
  ['settings: { account-number: {} }', 'wrong-value: "account-number" cannot be read in expressions'],
  ['headers: { X-A: }', 'wrong-type: "X-A" has no value (write null'],
  ['operations: { cancel: { post: /, result: x } }', 'unknown-key: "result" is not known in cancel'],
  ["settings: { a: { title: '${x}' } }", 'wrong-value: title must be plain text'],
  ["hosts: ['*.com']", 'wrong-value: hosts[0] must be a host'],
  ["tables: { t: { a: '${x}' } }", 'wrong-value: a table holds plain values'],
])('%s is an error: %s', (text, expected) => {
  expect(checked(withRest(text)).join('\n')).toContain(expected);
});

test('a number out of range is not said to be in quotes', () => {
  const [found = ''] = checked(withRest('limits: { concurrency: 5000 }'));
  expect(found).toMatch(/must be a whole number from 1 to 1000, not "5000"$/);
});

test.each(['NO', '0123', '1e3', '12:30', '~', '0x1F', '1_000', '2026-05-01', '+1', '.5', 'on', '1.5e3'])(
  '%s in a body is ambiguous and passes when quoted or in a text position',
  (form) => {
    const body = (value: string) => withRest(`operations: { create: { post: /, body: { json: { a: ${value} } } } }`);
    expect(checked(body(form)).join('\n')).toContain('scalar-ambiguous');
    expect(checked(body(`'${form}'`))).toEqual([]);
    expect(checked(withRest(`headers: { X-A: ${form} }`))).toEqual([]);
    expect(checked(withRest(`settings: { a: { default: ${form} } }`))).toEqual([]);
  },
);

test.each(['true', 'null', '0', '-1.5', '1.5e+3', 'text', 'a-b', '10 kg', 'E7', 'e12'])(
  '%s in a body means the same to all',
  (form) => {
    expect(checked(withRest(`operations: { create: { post: /, body: { json: { a: ${form} } } } }`))).toEqual([]);
  },
);

test('an expression that a comma cut is one finding, without the keys it left behind', () => {
  const found = checked(withRest('outcomes: [ { status: 400, messages: $first(a, b), do: reject } ]'));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain('unquoted-expression');
});

test('null takes an inherited value back anywhere', () => {
  expect(
    checked(
      withRest('auth: null\nheaders: null\nlimits: { rate: null }\noperations: { create: { auth: null, post: / } }'),
    ),
  ).toEqual([]);
});

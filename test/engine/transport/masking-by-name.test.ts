import { describe, expect, it } from 'vitest';
import { hideNamed, hideNamedBytes } from '../../../src/engine/transport/masking.ts';

describe('what is named like a secret', () => {
  it.each([
    ['{"access_token": "abc", "user":"erika"}', '{"access_token": "***access_token***", "user":"erika"}'],
    [String.raw`{"password":"a\"b","n":1}`, '{"password":"***password***","n":1}'],
    ['user=erika&client_secret=a%20b&x=1', 'user=erika&client_secret=***client_secret***&x=1'],
    ['https://a.example/?apiKey=abc&x=1#y', 'https://a.example/?apiKey=***apiKey***&x=1#y'],
    [
      '<s:Header><wsse:Password Type="t">abc</wsse:Password></s:Header>',
      '<s:Header><wsse:Password Type="t">***Password***</wsse:Password></s:Header>',
    ],
    [`<login password='abc' user="erika"/>`, '<login password="***password***" user="erika"/>'],
    ['<v1:AccountPin>123456</v1:AccountPin>', '<v1:AccountPin>***AccountPin***</v1:AccountPin>'],
    ['account_pin=1234&user=erika', 'account_pin=***account_pin***&user=erika'],
    ['{"pwd":"abc","userPwd":"def"}', '{"pwd":"***pwd***","userPwd":"***userPwd***"}'],
    ['{"sessionId":"abc"}', '{"sessionId":"***sessionId***"}'],
    ['https://a.example/?session_id=abc', 'https://a.example/?session_id=***session_id***'],
    ['{"password":12345678,"n":1}', '{"password":"***password***","n":1}'],
    ['{"token" : -1.5e+3}', '{"token" : "***token***"}'],
    ['{"token":["abc", "d]e"],"n":[1]}', '{"token":["***token***"],"n":[1]}'],
    ['{"tokens":[{"token": [\n  12,\n  null\n]}]}', '{"tokens":[{"token": ["***token***"]}]}'],
  ])('is hidden in %s', (text, hidden) => {
    expect(hideNamed(text)).toBe(hidden);
    expect(hideNamedBytes(Buffer.from(text)).toString()).toBe(hidden);
  });

  it.each([
    '{"tokens":3,"keyword":"abc"}',
    'monkey=banana&pass=1',
    '<passenger>Erika</passenger>',
    '{"token":null,"secret":{"id":1},"password":[{"id":1}],"credential":true,"pwd":[]}',
    // Postal codes, and the numbers of shipments.
    '{"pinCode":110001,"pincode":"110001","pin":110001,"d_pin":"110001","deliveryPin":"110001"}',
    '<ShipmentPIN><Value>329014521622</Value></ShipmentPIN><v1:PIN>329014521622</v1:PIN>',
    '{"shipping":"abc","spinning":"abc","mapping":"abc","clientShipping":1,"sessions":4,"session":{"id":1}}',
  ])('leaves %s as it is', (text) => expect(hideNamed(text)).toBe(text));
});

it('takes time in proportion to the text, whatever is left open', () => {
  for (const open of ['"token":["a",', '"token":[1, ', '"token":[   ', '"password":1', 'session_']) {
    expect(hideNamed(open.repeat(50_000)).length).toBeGreaterThan(0);
  }
});

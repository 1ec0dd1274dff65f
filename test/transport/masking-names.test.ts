import { describe, expect, it } from 'vitest';
import { hideNamed, hideNamedBytes } from '../../src/transport/masking-names.ts';

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
  ])('is hidden in %s', (text, hidden) => {
    expect(hideNamed(text)).toBe(hidden);
    expect(hideNamedBytes(Buffer.from(text)).toString()).toBe(hidden);
  });

  it.each(['{"tokens":3,"keyword":"abc"}', 'monkey=banana&pass=1', '<passenger>Erika</passenger>', '{"token":null}'])(
    'leaves %s as it is',
    (text) => expect(hideNamed(text)).toBe(text),
  );
});

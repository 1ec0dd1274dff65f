import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/engine/failure.ts';
import { createHostList } from '../../../src/engine/transport/address.ts';

const allows = (patterns: string[], url: string): boolean => createHostList(patterns).allows(url);

describe('a declared host', () => {
  it.each([
    ['api.acme.io', 'https://api.acme.io/x'],
    ['api.acme.io', 'https://API.Acme.IO/x'],
    ['API.ACME.IO', 'https://api.acme.io/x'],
    ['api.acme.io', 'https://api.acme.io./x'],
    ['api.acme.io.', 'https://api.acme.io/x'],
    ['api.acme.io', 'https://api.acme.io:8443/x'],
    ['api.acme.io:8443', 'https://api.acme.io:8443/x'],
    ['api.acme.io:443', 'https://api.acme.io/x'],
    ['api.acme.io:80', 'http://api.acme.io/x'],
    ['*.acme.io', 'https://api.acme.io/x'],
    ['*.acme.io', 'https://a.b.acme.io/x'],
    ['*.acme.io:8443', 'https://a.acme.io:8443/x'],
    ['bücher.example', 'https://xn--bcher-kva.example/x'],
    ['127.0.0.1', 'http://2130706433/x'],
    ['[::1]:8080', 'http://[0:0::1]:8080/x'],
  ])('%s allows %s', (pattern, url) => expect(allows([pattern], url)).toBe(true));

  it.each([
    ['api.acme.io', 'https://acme.io/'],
    ['api.acme.io', 'https://www.acme.io/'],
    ['api.acme.io', 'https://api.acme.io.evil.example/'],
    ['api.acme.io', 'https://evil.example/api.acme.io'],
    ['api.acme.io', 'https://api.acme.io@evil.example/'],
    ['api.acme.io', 'https://evil.example#api.acme.io'],
    ['api.acme.io', 'https://apixacme.io/'],
    ['api.acme.io:8443', 'https://api.acme.io/'],
    ['api.acme.io:443', 'http://api.acme.io/'],
    ['*.acme.io', 'https://acme.io/'],
    ['*.acme.io', 'https://evilacme.io/'],
    ['*.acme.io', 'https://.acme.io.evil.example/'],
    ['*.acme.io', 'no url'],
  ])('%s does not allow %s', (pattern, url) => expect(allows([pattern], url)).toBe(false));

  it('is one of several; of none, nothing is allowed', () => {
    expect(allows(['a.example', 'b.example'], 'https://b.example/')).toBe(true);
    expect(allows([], 'https://b.example/')).toBe(false);
  });

  it('may be asked about a URL that is already parsed', () => {
    expect(createHostList(['a.example']).allows(new URL('https://a.example/'))).toBe(true);
  });
});

describe('a pattern that is no host', () => {
  it.each([
    '',
    '*',
    '*.',
    '*.io',
    '*.10.0.0.1',
    'a.*.io',
    '**.acme.io',
    'https://acme.io',
    'acme.io/path',
    'user@acme.io',
    'acme.io?x',
    'acme.io:0',
    'acme.io:70000',
    'acme.io:port',
    'ac me.io',
  ])('"%s" is refused', (pattern) => {
    const create = () => createHostList([pattern]);
    expect(create).toThrow(Failure);
    expect(create).toThrow(expect.objectContaining({ code: 'host_pattern_invalid' }));
  });
});

import { describe, expect, it } from 'vitest';
import { evaluate, misuseOf } from '../evaluating.ts';

describe('$json, $xml', () => {
  it('give nothing for an empty text', async () => {
    expect(await evaluate("[$json(' '), $xml('')]")).toEqual([]);
  });

  it('say what is wrong without repeating the text', async () => {
    const secret = 'hunter2hunter2';
    expect(await misuseOf('$json(x)', { x: `{"key": ${secret}}` })).toMatch(/^\$json: is not JSON/);
    expect(await misuseOf('$json(x)', { x: `{"key": ${secret}}` })).not.toContain(secret);
    expect(await misuseOf('$xml(x)', { x: `<a>${secret}` })).toMatch(/^\$xml: /);
    expect(await misuseOf('$xml(x)', { x: `<!DOCTYPE a><a>${secret}</a>` })).toMatch(/DOCTYPE/);
  });

  it('refuse what is nested without end', async () => {
    expect(await misuseOf('$json(x)', { x: '['.repeat(10_000) })).toMatch(/nested deeper/);
  });
});

describe('$toXml', () => {
  it('declares the namespaces it is given', async () => {
    expect(await evaluate(`$toXml({"a:x": {"a:y": "<&"}}, {"a": "urn:example"})`)).toBe(
      '<a:x xmlns:a="urn:example"><a:y>&lt;&amp;</a:y></a:x>',
    );
  });
});

describe('$base64, $unbase64', () => {
  it('go there and back, in UTF-8', async () => {
    expect(await evaluate('$unbase64($base64(x))', { x: 'Łódź 😀' })).toBe('Łódź 😀');
    expect(await evaluate('$base64(x)', { x: new Uint8Array([255, 0]) })).toBe('/wA=');
    expect(await evaluate('$unbase64(x)', { x: 'YTpi\n' })).toBe('a:b');
  });
});

describe('$hash, $hmac', () => {
  it('know the usual algorithms and encodings', async () => {
    expect(await evaluate("$hash('sha256', 'abc')")).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(await evaluate("$hash('SHA1', 'abc', 'base64')")).toBe('qZk+NkcGgWq6PiVxeFDCbJzQ2J0=');
    expect(await evaluate("$hmac('md5', 'key', 'The quick brown fox jumps over the lazy dog')")).toBe(
      '80070713463e7749b90c2dc24911e275',
    );
  });
});

it('$base64, $hash and $hmac tell what they make of a secret', async () => {
  const learnt: [string, string][] = [];
  const derived = (input: string, output: string) => void learnt.push([input, output]);
  const roots = { credentials: { key: 'hunter2hunter2' } };
  const expression = "[$base64(credentials.key), $hash('md5', credentials.key), $hmac('md5', credentials.key, 'x')]";
  await evaluate(expression, roots, { derived });
  expect(learnt.filter(([input]) => input === 'hunter2hunter2').map(([, output]) => output)).toEqual([
    'aHVudGVyMmh1bnRlcjI=',
    '814bc41b610a1c9fd51bafcab6a224d7',
    expect.stringMatching(/^[\da-f]{32}$/),
  ]);
});

import { describe, expect, it } from 'vitest';
import { carrierOf } from './world.ts';
import { buildRequest, setQuery } from '../../../src/engine/dispatch/request.ts';

const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

const build = async (step: string, roots: Record<string, unknown> = {}) => {
  const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example/v1/' } }
settings: { account: { optional: true }, note: { optional: true } }
headers: { X-Client: waybill }
operations:
  create:
    result: '{ "itemsTrackDetails": [] }'
${step.replaceAll(/^/gm, '    ')}
`);
  const first = carrier.operations.create?.steps[0];
  if (first === undefined) throw new Error('no step');
  return await buildRequest(
    first,
    { environment: { url: 'https://api.acme.example/v1/' }, ...roots },
    context,
    'the-boundary',
  );
};

describe('the URL', () => {
  it('is taken after that of the environment', async () => {
    expect((await build('post: /orders')).url.href).toBe('https://api.acme.example/v1/orders');
  });

  it('encodes each value where it stands', async () => {
    const { url } = await build("post: '/a/${settings.account}/b?c=${settings.note}'", {
      settings: { account: 'x/ y', note: 'p&q=1' },
    });
    expect(url.href).toBe('https://api.acme.example/v1/a/x%2F%20y/b?c=p%26q%3D1');
  });

  it('may be one that a carrier gave, taken as it is', async () => {
    const { url } = await build("post: '${settings.note}'", {
      settings: { note: 'https://files.acme.example/a%20b?c=d' },
    });
    expect(url.href).toBe('https://files.acme.example/a%20b?c=d');
  });

  it.each(['ftp://files.acme.example/x', 'javascript:alert(1)', 'orders', 'https://'])(
    'that is %s is an error of its line',
    async (note) => {
      await expect(build("post: '${settings.note}'", { settings: { note } })).rejects.toMatchObject({
        code: 'url_invalid',
        place: { line: 9 },
      });
    },
  );

  it('has each query value encoded, the same key replaced, a list repeated, what is missing left out', async () => {
    const { url } = await build(
      "post: '/orders?a=1&b=2'\nquery: { a: 'x y+z', 'c': '${[\"1\", \"2\"]}', d: '${settings.account}' }",
      { settings: {} },
    );
    expect(url.search).toBe('?b=2&a=x%20y%2Bz&c=1&c=2');
  });

  it('keeps its spelling when a signature is added', () => {
    const url = new URL('https://api.acme.example/?a=x%20y%2Bz');
    setQuery(url, 'sig', 'p q');
    expect(url.search).toBe('?a=x%20y%2Bz&sig=p%20q');
  });
});

describe('headers', () => {
  it('come by themselves and may be overridden', async () => {
    const plain = await build('post: /orders\nbody: { json: { a: 1 } }');
    expect(plain.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-client': 'waybill',
    });
    const own = await build(
      "post: /orders\nheaders: { ACCEPT: '*/*', Content-Type: application/vnd.acme+json, X-Client: null }\nbody: { json: { a: 1 } }",
    );
    expect(own.headers).toMatchObject({ accept: '*/*', 'content-type': 'application/vnd.acme+json' });
  });

  it('are left out where their whole value is missing', async () => {
    expect(
      (await build("post: /orders\nheaders: { X-Note: '${settings.note}' }", { settings: {} })).headers,
    ).not.toHaveProperty('x-note');
  });
});

describe('the body', () => {
  it('is nothing unless declared', async () => {
    expect((await build('delete: /orders')).body).toBeUndefined();
  });

  it.each([
    ["json: { a: '${settings.note}', b: '${settings.account}' }", '{"a":"é"}', 'application/json'],
    ["form: { a: '${settings.note}' }", 'a=%C3%A9', 'application/x-www-form-urlencoded'],
    ["text: 'x ${settings.note}'", 'x é', 'text/plain; charset=utf-8'],
    [
      "xml: { order: { '@id': 1, note: '${settings.note}' } }",
      '<order id="1"><note>é</note></order>',
      'application/xml; charset=utf-8',
    ],
  ])('of %s is its bytes', async (body, text, type) => {
    const built = await build(`post: /orders\nbody: { ${body} }`, { settings: { note: 'é' } });
    expect(built.body?.toString().replace(/^<\?xml.*?\?>\s*/, '')).toBe(text);
    expect(built.headers['content-type']).toBe(type);
  });

  it('of parts has the boundary that it is given, so that a repeat is the same', async () => {
    const built = await build("post: /orders\nbody: { multipart: { a: '1' } }");
    expect(built.headers['content-type']).toContain('the-boundary');
    expect(built.body?.toString()).toContain('--the-boundary');
  });

  it('of SOAP has its envelope, header and action', async () => {
    const built = await build(
      "post: /orders\nbody: { soap: { action: 'urn:do', namespaces: { a: 'urn:a' }, header: { 'a:user': me }, body: { 'a:do': { x: '1' } } } }",
    );
    const text = built.body?.toString() ?? '';
    expect(text).toMatch(/Header>.*<a:user>me<\/a:user>.*Body>.*<a:do><x>1<\/x><\/a:do>/s);
    expect(built.headers['soapaction']).toContain('urn:do');
  });

  it('that cannot be written is an error of its line', async () => {
    await expect(
      build("post: /orders\nbody: { form: { a: '${settings.note}' } }", { settings: { note: '\ud800' } }),
    ).rejects.toMatchObject({ place: { file: 'carriers/acme.yaml' } });
  });
});

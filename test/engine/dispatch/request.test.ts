import { describe, expect, it } from 'vitest';
import { buildRequest, setQuery } from '../../../src/engine/dispatch/request.ts';
import { carrierOf, profileOf } from './world.ts';

const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

/** By a step of these lines, at an account with these settings. */
const build = async (lines: string, settings: Readonly<Record<string, string>> = {}) => {
  const create = `create:\n${lines.replaceAll(/^/gm, '  ')}\n  result: '{ "itemsTrackDetails": [] }'`;
  const more = 'headers: { X-Client: waybill }';
  const [step] = carrierOf(profileOf(create, more).replace('account: {', 'note: { optional: true }, account: {'))
    .operations.create!.steps;
  const roots = { environment: { url: 'https://api.acme.example/v1/' }, settings };
  return await buildRequest(step, roots, context, 'the-boundary');
};
const note = "post: '${settings.note}'";

describe('the URL', () => {
  it.each([
    ['is taken after that of the environment', 'post: /orders', {}, 'https://api.acme.example/v1/orders'],
    [
      'encodes each value where it stands',
      "post: '/a/${settings.account}/b?c=${settings.note}'",
      { account: 'x/ y', note: 'p&q=1' },
      'https://api.acme.example/v1/a/x%2F%20y/b?c=p%26q%3D1',
    ],
    [
      'may be one that a carrier gave, taken as it is',
      note,
      { note: 'https://files.acme.example/a%20b?c=d' },
      'https://files.acme.example/a%20b?c=d',
    ],
    [
      'has query values encoded, the same key replaced, a list repeated, what is missing left out',
      "post: '/x?a=1&b=2'\nquery: { a: 'x y+z', 'c': '${[\"1\", \"2\"]}', d: '${settings.account}' }",
      {},
      'https://api.acme.example/v1/x?b=2&a=x%20y%2Bz&c=1&c=2',
    ],
  ])('%s', async (_, lines, settings, href) => {
    expect((await build(lines, settings as Record<string, string>)).url.href).toBe(href);
  });

  it.each(['ftp://files.acme.example/x', 'javascript:alert(1)', 'orders', 'https://'])(
    'that is %s is an error of its line',
    async (text) => {
      await expect(build(note, { note: text })).rejects.toMatchObject({ code: 'url_invalid', place: { line: 8 } });
    },
  );

  it('keeps its spelling when a signature is added', () => {
    const url = new URL('https://api.acme.example/?a=x%20y%2Bz');
    setQuery(url, 'sig', 'p q');
    expect(url.search).toBe('?a=x%20y%2Bz&sig=p%20q');
  });
});

describe('headers', () => {
  const json = 'body: { json: { a: 1 } }';
  const defaults = { accept: 'application/json', 'content-type': 'application/json', 'x-client': 'waybill' };
  const own = { accept: '*/*', 'content-type': 'application/vnd.acme+json' };

  it.each([
    ['come by themselves', `post: /orders\n${json}`, defaults],
    [
      'may be overridden',
      `post: /orders\nheaders: { ACCEPT: '*/*', Content-Type: ${own['content-type']}, X-Client: null }\n${json}`,
      own,
    ],
    [
      'are left out where their whole value is missing',
      `post: /orders\nheaders: { X-Note: '\${settings.note}' }\n${json}`,
      defaults,
    ],
  ])('%s', async (_, lines, headers) => {
    expect((await build(lines)).headers).toEqual(headers);
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
    ["xml: { o: { '@id': 1, n: '${settings.note}' } }", '<o id="1"><n>é</n></o>', 'application/xml; charset=utf-8'],
  ])('of %s is its bytes', async (body, text, type) => {
    const built = await build(`post: /orders\nbody: { ${body} }`, { note: 'é' });
    expect(built.body?.toString().replace(/^<\?xml.*?\?>\s*/, '')).toBe(text);
    expect(built.headers['content-type']).toBe(type);
  });

  it('of parts has the boundary that it is given, so that a repeat is the same', async () => {
    const built = await build("post: /orders\nbody: { multipart: { a: '1' } }");
    expect(built.headers['content-type']).toContain('the-boundary');
    expect(built.body?.toString()).toContain('--the-boundary');
  });

  it('of SOAP has its envelope, header and action', async () => {
    const soap = "action: 'urn:do', namespaces: { a: 'urn:a' }, header: { 'a:user': me }, body: { 'a:do': { x: '1' } }";
    const built = await build(`post: /orders\nbody: { soap: { ${soap} } }`);
    expect(built.body?.toString()).toMatch(/Header>.*<a:user>me<\/a:user>.*Body>.*<a:do><x>1<\/x><\/a:do>/s);
    expect(built.headers['soapaction']).toContain('urn:do');
  });

  it('that cannot be written is an error of its line', async () => {
    const form = build("post: /orders\nbody: { form: { a: '${settings.note}' } }", { note: '\ud800' });
    await expect(form).rejects.toMatchObject({ place: { file: 'carriers/acme.yaml' } });
    const soap = "body: { soap: {\n  body: { x: '1' },\n  header: { a: '${settings.note}' } } }";
    const header = build(`post: /orders\n${soap}`, { note: '\ud800' });
    await expect(header).rejects.toMatchObject({ message: /^header/, place: { line: 11 } });
  });
});

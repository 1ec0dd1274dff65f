import { describe, expect, it } from 'vitest';
import { renderReference } from '../../../src/platform/api/reference-page.ts';
import { apiWorld } from './world.ts';

const VOID = new Set(['meta', '!doctype']);

/** Elements that are not closed in the order they were opened. */
const unbalanced = (html: string): string[] => {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = ''] of html.replace(/<style>[^]*?<\/style>/, '').matchAll(/<(\/?)([!\w]+)[^>]*>/g)) {
    if (VOID.has(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
};

const api = apiWorld();
const page = async () => await api.call({ url: '/docs' });

describe('GET /docs', () => {
  it('names every operation and every shape of the OpenAPI document', async () => {
    const { status, headers, text } = await page();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const document = (await api.call({ url: '/openapi.json' })).body as {
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, object> };
    };
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(text).toContain(`<b>${path}</b>`);
      for (const { operationId } of Object.values(methods)) expect(text).toContain(`id="operation-${operationId}"`);
    }
    for (const name of Object.keys(document.components.schemas)) expect(text).toContain(`id="shape-${name}"`);
    expect(text).toContain('packageDetails');
    expect(unbalanced(text)).toEqual([]);
  });

  it('begins with a guide: introduction, authentication, examples, webhooks and their signature, the test carrier', async () => {
    const { text } = await page();
    const chapters = [...text.matchAll(/<h[23] id="([\w-]+)">/g)].map(([, id]) => id);
    expect(chapters.slice(0, 8)).toEqual([
      'introduction',
      'authentication',
      'consignments',
      'webhooks',
      'the-signature',
      'deliveries',
      'the-test-carrier',
      'errors',
    ]);
    expect(text).toContain('export URL=https://waybill.example.com TOKEN=');
    expect(text).toMatch(/<pre><code>curl -sS -X POST &#34;\$URL\/v2\/consignments&#34;/);
    expect(text).toContain('<td><code>late label</code></td>');
    expect(text).toContain('name="viewport"');
  });

  it('leads nowhere outside, runs no script, and has every place it links to', async () => {
    const { text, headers } = await page();
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<(?:script|img|link|iframe)|\bon\w+=|src=|@import|url\(/);
    const hrefs = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(hrefs.length).toBeGreaterThan(50);
    for (const href of new Set(hrefs)) {
      if (href === 'openapi.json' || href === 'docs/carriers') continue;
      expect(href).toMatch(/^#/);
      expect(text).toContain(`id="${href.slice(1)}"`);
    }
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it('GET /docs/carriers says what a carrier builds by the contract, and how to certify it', async () => {
  const { status, headers, text } = await api.call({ url: '/docs/carriers' });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  for (const chapter of ['the-endpoint', 'status-pushes', 'certify-it', 'what-is-tried'])
    expect(text).toContain(`id="${chapter}"`);
  expect(text).toContain('<code>destinationPostalCode</code>');
  expect(text).toContain('https://waybill.example.com/v2/carriers/{carrierCode}/statuses');
  expect(text).toContain('npx waybill certify');
  expect(unbalanced(text)).toEqual([]);
});

it('shows whatever a document says as text', () => {
  const evil = '<script>alert(1)</script>"\'&';
  const document = {
    info: { title: evil, version: evil, description: evil },
    paths: {
      [`/${evil}`]: {
        get: {
          operationId: evil,
          tags: [evil],
          summary: evil,
          description: `\`${evil}\``,
          parameters: [{ name: evil, in: evil, schema: { enum: [evil], description: evil } }],
          responses: { [evil]: { description: evil, content: { [evil]: { schema: { $ref: evil } } } } },
        },
      },
    },
    components: { schemas: { [evil]: { properties: { [evil]: { type: evil, examples: [evil] } } } } },
  };
  const guide = ['# ', '', '- ', '| ', '`', '**', '```\n', `[${evil}](#x) [${evil}](`].map(
    (mark) => `${mark}${evil}\n`,
  );
  const html = renderReference(document, guide.join('\n'));
  expect(html).not.toContain('<script');
  expect(unbalanced(html)).toEqual([]);
});

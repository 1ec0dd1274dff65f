/** The API's description as a page for people: made of the OpenAPI document, whole in itself, without scripts. */
import { isMap } from '../../engine/value.ts';
import { escapeHtml as text, prose, renderMarkdown, slugOf } from './html.ts';

/** What the page reads of an OpenAPI document by name; the rest it shows as it is. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly [trait: string]: unknown }[];
  readonly [part: string]: unknown;
}

/** A complete HTML page: the guide, in Markdown, then all operations and shapes. Pure: the same gives the same bytes. */
export const renderReference = ({ info, paths, components }: ApiDocument, guide: string): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Others');
  const sections = [...byTag].map(([tag, held]) => {
    const described = held.map(({ path, method, operation }) => operationOf(path, method, operation));
    return `<h3 id="${anchor('tag', tag)}">${text(tag)}</h3>\n${described.join('\n')}`;
  });
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${anchor('shape', name)}"><summary><b>${text(name)}</b></summary>${shown(schema)}</details>`,
  );
  const reference = `<h2 id="reference">Reference</h2>
<p>${prose(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>, version ${text(info.version)}.
Levels of fields: <b>M</b> mandatory, <b>R</b> recommended, <b>O</b> optional.</p>
<nav>${[...byTag.keys()].map((tag) => `${link('tag', tag)} · `).join('')}<a href="#shapes">Shapes</a></nav>
${sections.join('\n')}
<h3 id="shapes">Shapes</h3>
${shapes.join('\n')}`;
  return renderGuide(`${info.title} API ${info.version}`, guide, {
    body: reference,
    links: '<a href="#reference">Reference</a> · <a href="docs/carriers">For carriers</a>',
  });
};

/** A complete HTML page of a guide in Markdown, and what follows it. */
export const renderGuide = (
  title: string,
  guide: string,
  { body = '', links = '' }: { readonly body?: string; readonly links?: string } = {},
): string => {
  const chapters = [...guide.matchAll(/^## (.*)$/gm)].map(([, chapter = '']) => chapter);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav>${chapters.map((chapter) => `<a href="#${slugOf(chapter)}">${text(chapter)}</a> · `).join('')}${links}</nav>
${renderMarkdown(guide)}
${body}
</body>
</html>
`;
};

/** The page may show itself, and nothing else. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; }
nav { line-height: 2; }
pre { overflow-x: auto; padding: .8rem; border-radius: 6px; background: #8882; font-size: .85rem; line-height: 1.4; }
details { border: 1px solid #8886; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; padding: .3rem 0; }
code, summary b { font-family: ui-monospace, monospace; }
.method { display: inline-block; min-width: 4.2rem; font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
td, th { border-top: 1px solid #8884; padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top; }
td, th { overflow-wrap: break-word; }
td + td code { overflow-wrap: anywhere; }
td table { margin-left: 1rem; }
small { opacity: .7; }
@media (max-width: 40rem) {
  details table, details tbody, details tr, details td { display: block; }
  details td { padding-right: 0; }
  details td + td { border-top: 0; padding-left: .8rem; }
  td table { margin-left: 0; }
}
`;

const operationOf = (path: string, method: string, operation: Operation): string => {
  const { operationId = `${method}-${path}`, tags: _, summary, security = [], parameters = [], ...rest } = operation;
  const tokens = security.map((one) => Object.keys(one).join(' and ') || 'none').join(', or ') || 'none';
  const given = parameters.map(({ name, ...parameter }) => [name, parameter] as const);
  const parts = { ...rest, ...(given.length === 0 ? {} : { parameters: Object.fromEntries(given) }) };
  const title = `<span class="method">${text(method.toUpperCase())}</span> <b>${text(path)}</b> ${prose(summary)}`;
  const id = anchor('operation', operationId);
  return `<details id="${id}"><summary>${title}</summary><p><b>Token:</b> ${text(tokens)}</p>${shown(parts)}</details>`;
};

/** Any part of the document: what it says, its traits side by side, and what lies deeper as a table; shapes are linked. */
const shown = (part: unknown): string => {
  if (Array.isArray(part)) return part.map(shown).join(', ');
  if (!isMap(part)) return text(String(part));
  const { $ref, description, properties, content, schema, ...rest } = part;
  if (typeof $ref === 'string') return link('shape', $ref.split('/').at(-1) ?? '');
  const [deep = [], traits = []] = [true, false].map((isDeep) =>
    Object.entries(rest).filter(([, value]) => [value].flat().some(isMap) === isDeep),
  );
  const rows = [...deep, ...Object.entries(content ?? properties ?? {})].map(
    ([name, value]: readonly [string, unknown]) =>
      `<tr><td><code>${text(name)}</code></td><td>${shown(value)}</td></tr>`,
  );
  const small = traits.map(([name, value]) => `${name.replace(/^x-/, '')} ${[value].flat().join(', ')}`);
  return [
    typeof description === 'string' ? prose(description) : '',
    small.length === 0 ? '' : ` <small>${text(small.join('; '))}</small>`,
    schema === undefined ? '' : shown(schema),
    rows.length === 0 ? '' : `<table>${rows.join('')}</table>`,
  ].join('');
};

const anchor = (kind: string, name: string): string => `${kind}-${name.replaceAll(/[^\w]+/g, '-')}`;
const link = (kind: string, name: string): string => `<a href="#${anchor(kind, name)}">${text(name)}</a>`;

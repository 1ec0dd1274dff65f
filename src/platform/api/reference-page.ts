/** The API's description as a page for people: made of the OpenAPI document, whole in itself, without scripts. */

/** What the page reads of an OpenAPI document. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
  readonly 'x-level'?: string;
}

/** A complete HTML page. Pure: the same document gives the same bytes. */
export const renderReference = ({ info, paths, components }: ApiDocument): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Others');
  const sections = [...byTag].map(
    ([tag, held]) =>
      `<h2 id="${anchor('tag', tag)}">${text(tag)}</h2>\n${held
        .map(({ path, method, operation }) => operationOf(path, method, operation))
        .join('\n')}`,
  );
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${anchor('shape', name)}"><summary><b>${text(name)}</b></summary>${schemaOf(schema)}</details>`,
  );
  const links = [...byTag.keys()].map((tag) => `<a href="#${anchor('tag', tag)}">${text(tag)}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API ${text(info.version)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${text(info.title)} API <small>${text(info.version)}</small></h1>
<p>${prose(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>.</p>
<p>Levels of fields: <b>M</b> mandatory, <b>R</b> recommended, <b>O</b> optional.</p>
<nav>${[...links, '<a href="#shapes">Shapes</a>'].join(' · ')}</nav>
${sections.join('\n')}
<h2 id="shapes">Shapes</h2>
${shapes.join('\n')}
</body>
</html>
`;
};

/** The page may show itself, and nothing else. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
details { border: 1px solid #8886; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
code, summary b { font-family: ui-monospace, monospace; }
.method { display: inline-block; min-width: 4.2rem; font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid #8884; padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top; }
td table { margin-left: 1rem; }
small, .kind { color: #888; }
`;

const operationOf = (path: string, method: string, operation: Operation): string => {
  const parts = [
    `<p>${prose(operation.description)}</p>`,
    `<p><b>Token:</b> ${text(tokensOf(operation))}</p>`,
    parametersOf(operation),
    contentOf('Request', operation.requestBody?.content),
    '<h4>Answers</h4>',
    `<table>${Object.entries(operation.responses ?? {})
      .map(([status, { description, content }]) =>
        row(`<code>${text(status)}</code>`, `${prose(description)} ${contentOf('', content)}`),
      )
      .join('')}</table>`,
  ];
  const id = anchor('operation', operation.operationId ?? `${method}-${path}`);
  const title = `<span class="method">${text(method.toUpperCase())}</span> <b>${text(path)}</b> ${prose(operation.summary)}`;
  return `<details id="${id}"><summary>${title}</summary>${parts.join('\n')}</details>`;
};

const tokensOf = ({ security = [] }: Operation): string =>
  security.length === 0 ? 'none' : security.map((one) => Object.keys(one).join(' and ') || 'none').join(', or ');

const parametersOf = ({ parameters = [] }: Operation): string =>
  parameters.length === 0
    ? ''
    : `<h4>Parameters</h4><table>${parameters
        .map(({ name, in: place, required, description, schema = {} }) =>
          row(
            `<code>${text(name)}</code> <small>${text(place)}${required === true ? ', required' : ''}</small>`,
            `${kindOf(schema)} ${prose(description ?? schema.description)}`,
          ),
        )
        .join('')}</table>`;

const contentOf = (title: string, content: Content = {}): string =>
  Object.entries(content)
    .map(([type, { schema }]) => {
      const head = title === '' ? '' : `<h4>${title}, <code>${text(type)}</code></h4>`;
      return `${head}${schema === undefined ? '' : schemaOf(schema)}`;
    })
    .join('');

const schemaOf = (schema: Schema): string => {
  const { properties } = schema;
  if (properties === undefined) return `<p>${kindOf(schema)} ${prose(schema.description)}</p>${innerOf(schema)}`;
  const required = new Set(schema.required);
  const rows = Object.entries(properties).map(([name, field]) => {
    const level = field['x-level'];
    const must = level ?? (required.has(name) ? 'required' : '');
    return row(
      `<code>${text(name)}</code>${must === '' ? '' : ` <small>${text(must)}</small>`}`,
      `${kindOf(field)} ${prose(field.description)}${innerOf(field)}`,
    );
  });
  return `<table>${rows.join('')}</table>`;
};

/** What lies deeper: the fields of an object, or of a list's entries. */
const innerOf = (schema: Schema): string => {
  if (schema.properties !== undefined) return schemaOf(schema);
  return schema.items?.properties === undefined ? '' : schemaOf(schema.items);
};

const kindOf = (schema: Schema): string => {
  const { $ref, anyOf, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `<a href="#${anchor('shape', name)}">${text(name)}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ');
  if (items !== undefined) return `<span class="kind">list of</span> ${kindOf(items)}${boundsOf(schema)}`;
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined) return schema.enum.map((one) => `<code>${text(String(one))}</code>`).join(' ');
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const format = schema.format === undefined ? '' : `, ${schema.format}`;
  return `<span class="kind">${text(type + format)}</span>${boundsOf(schema)}${exampleOf(schema)}`;
};

const boundsOf = ({ maxLength, minItems, maxItems }: Schema): string => {
  const bounds = [
    maxLength === undefined ? [] : [`at most ${maxLength} characters`],
    minItems === undefined ? [] : [`at least ${minItems}`],
    maxItems === undefined ? [] : [`at most ${maxItems}`],
  ].flat();
  return bounds.length === 0 ? '' : ` <small>${text(bounds.join(', '))}</small>`;
};

const exampleOf = ({ examples = [] }: Schema): string =>
  examples.length === 0 ? '' : ` <small>such as <code>${text(String(examples[0]))}</code></small>`;

const row = (head: string, says: string): string => `<tr><td>${head}</td><td>${says}</td></tr>`;

const anchor = (kind: string, name: string): string => `${kind}-${name.replaceAll(/[^\w]+/g, '-')}`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const text = (raw: string): string => raw.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Text in which back-ticks set off code. */
const prose = (raw = ''): string => text(raw).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

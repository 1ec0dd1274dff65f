import { isMap } from '../value.ts';
import { writeXml } from './xml.ts';

/**
 * The tree with the text in the place of each map `{ '#xml': … }` or `{ '#json': … }`, which is the XML or JSON of what it
 * holds; beside attributes of an XML element, it is that element's text. Throws `body_not_encodable`.
 */
export const withInnerTexts = (value: unknown): unknown => (holdsInner(value) ? written(value) : value);

/** Most bodies have none: those are left as they are. */
function holdsInner(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsInner);
  if (!isMap(value)) return false;
  for (const key in value) if (key === '#xml' || key === '#json' || holdsInner(value[key])) return true;
  return false;
}

function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, unknown] => {
    const inner = written(held);
    if (key !== '#xml' && key !== '#json') return [key, inner];
    return [
      '#text',
      inner === undefined || inner === null ? undefined : key === '#xml' ? writeXml(inner) : JSON.stringify(inner),
    ];
  });
  const isText = entries.length === 1 && entries[0]?.[0] === '#text' && !Object.hasOwn(value, '#text');
  return isText ? entries[0]?.[1] : Object.fromEntries(entries);
}

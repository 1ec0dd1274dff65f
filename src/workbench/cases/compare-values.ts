/** Compares plain values and XML documents, and what is written in texts of these, by meaning. */
import { DEFAULT_DECODE_LIMITS } from '../../engine/codecs/codec.ts';
import {
  isElement,
  isNamespaceDeclaration,
  ownText,
  readXml,
  splitName,
  type XmlElement,
} from '../../engine/codecs/xml.ts';
import { formatPath, isMap, valueAt, type ValuePath } from '../../engine/value.ts';
import { innerValue, isXml } from './inner-text.ts';

/** One place where what was seen is not what was expected; `undefined` means there is nothing. */
export interface CaseDifference {
  readonly path: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

/** Differences of two values: lists in order, maps without regard to it, nothing converted. */
export function compareValues(expected: unknown, seen: unknown, path: ValuePath = []): CaseDifference[] {
  if (Object.is(expected, seen) || (expected === 0 && seen === 0)) return [];
  if (Array.isArray(expected) && Array.isArray(seen)) {
    return Array.from({ length: Math.max(expected.length, seen.length) }, (_, at) =>
      compareValues(expected[at], seen[at], [...path, at]),
    ).flat();
  }
  if (isMap(expected) && isMap(seen)) {
    return [...new Set([...Object.keys(expected), ...Object.keys(seen)])].flatMap((key) =>
      compareValues(valueAt(expected, key), valueAt(seen, key), [...path, key]),
    );
  }
  if (typeof expected === 'string' && typeof seen === 'string') return compareTexts(expected, seen, formatPath(path));
  return [{ path: formatPath(path), expected, seen }];
}

/** Two XML documents and two JSON texts by what they mean, all other texts as they are. */
function compareTexts(expected: string, seen: string, path: string): CaseDifference[] {
  if (expected === seen) return [];
  const [wanted, got] = [innerValue(expected), innerValue(seen)];
  if (wanted === undefined || got === undefined || isXml(expected) !== isXml(seen)) return [{ path, expected, seen }];
  const found = isXml(expected)
    ? compareXml(readXml(expected, DEFAULT_DECODE_LIMITS), readXml(seen, DEFAULT_DECODE_LIMITS))
    : compareValues(wanted, got);
  return found.map((one) => ({ ...one, path: [path, one.path].filter((part) => part !== '').join('.') }));
}

// XML ----------------------------------------------------------------------------------------------------------------

/** An element with its prefixes resolved: names are `{uri}local`, or the local name alone where there is no namespace. */
interface Resolved {
  readonly name: string;
  readonly local: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
  readonly children: readonly Resolved[];
}

type Scope = ReadonlyMap<string, string>;
const XML_SCOPE: Scope = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);

/**
 * Differences of two XML documents: elements in order, by namespace and local name whatever the prefix; attributes in
 * any order; text without layout. Paths read `Envelope/Body/order/line[2]/@id`, counted from 1 where a name repeats.
 */
export function compareXml(expected: XmlElement, seen: XmlElement): CaseDifference[] {
  const [left, right] = [resolve(expected, XML_SCOPE), resolve(seen, XML_SCOPE)];
  if (left.name !== right.name) return differing(left.local, left.name, right.name);
  return compareElements(left.local, left, right);
}

/** An undeclared prefix stands for itself. */
function resolve(element: XmlElement, outer: Scope): Resolved {
  const declared = element.attributes.filter(([name]) => isNamespaceDeclaration(name));
  const scope = new Map([
    ...outer,
    ...declared.map(([name, uri]) => [name === 'xmlns' ? '' : name.slice(6), uri] as const),
  ]);
  const expand = (prefix: string, local: string): string => {
    const uri = scope.get(prefix) ?? prefix;
    return uri === '' ? local : `{${uri}}${local}`;
  };
  const attributes = element.attributes.flatMap(([name, value]): [string, string][] => {
    const { prefix, local } = splitName(name);
    // The default namespace is not that of attributes.
    return isNamespaceDeclaration(name) ? [] : [[prefix === '' ? local : expand(prefix, local), value]];
  });
  return {
    name: expand(element.prefix, element.local),
    local: element.local,
    attributes: new Map(attributes),
    text: ownText(element),
    children: element.children.filter(isElement).map((child) => resolve(child, scope)),
  };
}

const differing = (path: string, expected: unknown, seen: unknown): CaseDifference[] =>
  expected === seen ? [] : [{ path, expected, seen }];

function compareElements(path: string, expected: Resolved, seen: Resolved): CaseDifference[] {
  const names = new Set([...expected.attributes.keys(), ...seen.attributes.keys()]);
  return [
    ...[...names].flatMap((name) =>
      differing(`${path}/@${name}`, expected.attributes.get(name), seen.attributes.get(name)),
    ),
    ...compareTexts(expected.text, seen.text, path),
    ...align(expected.children, seen.children).flatMap(({ label, left, right }) =>
      left !== undefined && right !== undefined
        ? compareElements(`${path}/${label}`, left, right)
        : [{ path: `${path}/${label}`, expected: shown(left), seen: shown(right) }],
    ),
  ];
}

const shown = (element: Resolved | undefined): string | undefined =>
  element && `<${element.local}>${element.children.length > 0 ? '…' : element.text}`;

interface Pair {
  readonly label: string;
  readonly left: Resolved | undefined;
  readonly right: Resolved | undefined;
}

/** Pairs elements of one name in their order; where the names part ways, the side that has less to skip is skipped. */
function align(expected: readonly Resolved[], seen: readonly Resolved[]): Pair[] {
  const pairs: Pair[] = [];
  const sides = [expected, seen].map((elements) => Map.groupBy(elements, ({ name }) => name));
  const times = new Map<string, number>();
  let [at, seenAt] = [0, 0];
  for (;;) {
    const [wanted, got] = [expected[at], seen[seenAt]];
    const element = wanted ?? got;
    if (element === undefined) return pairs;
    const isSame = wanted?.name === got?.name;
    const skipsWanted =
      got === undefined ||
      (wanted !== undefined && distance(expected, at, got.name) <= distance(seen, seenAt, wanted.name));
    const [left, right] = [isSame || skipsWanted ? wanted : undefined, isSame || !skipsWanted ? got : undefined];
    const { name, local } = (left ?? right) as Resolved;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    const repeats = time > 1 || sides.some((side) => (side.get(name)?.length ?? 0) > 1);
    pairs.push({ label: repeats ? `${local}[${time}]` : local, left, right });
    if (left !== undefined) at += 1;
    if (right !== undefined) seenAt += 1;
  }
}

// Looking further than this for where two documents meet again would cost the square of their length.
const MAX_SKIPPED = 500;

function distance(elements: readonly Resolved[], from: number, name: string): number {
  const ahead = elements.slice(from, from + MAX_SKIPPED).findIndex((one) => one.name === name);
  return ahead === -1 ? Number.POSITIVE_INFINITY : ahead;
}

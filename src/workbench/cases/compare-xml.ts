import type { ValueDifference } from './compare-values.ts';
import { isElement, isNamespaceDeclaration, ownText, splitName, type XmlElement } from '../../engine/codecs/xml.ts';

type Scope = ReadonlyMap<string, string>;

const XML_SCOPE: Scope = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);

/**
 * Differences of two XML documents: elements in order, by namespace and local name whatever the prefix; attributes in
 * any order; text without layout. Paths read `Envelope/Body/order/line[2]/@id`, counted from 1 where a name repeats.
 */
export function compareXml(expected: XmlElement, actual: XmlElement): ValueDifference[] {
  const [left, right] = [nameIn(expected, XML_SCOPE), nameIn(actual, XML_SCOPE)];
  if (left !== right) return [{ path: expected.local, expected: left, actual: right }];
  return compareElements(expected, actual, { path: expected.local, scopes: [XML_SCOPE, XML_SCOPE] });
}

interface Position {
  readonly path: string;
  /** The declarations around the expected and the actual element. */
  readonly scopes: readonly [Scope, Scope];
}

function compareElements(
  expected: XmlElement,
  actual: XmlElement,
  { path, scopes: [left, right] }: Position,
): ValueDifference[] {
  const scopes: readonly [Scope, Scope] = [scopeOf(expected, left), scopeOf(actual, right)];
  const differences: ValueDifference[] = [];
  const [wanted, got] = [attributesOf(expected, scopes[0]), attributesOf(actual, scopes[1])];
  for (const name of new Set([...wanted.keys(), ...got.keys()])) {
    if (wanted.get(name) !== got.get(name)) {
      differences.push({ path: `${path}/@${name}`, expected: wanted.get(name), actual: got.get(name) });
    }
  }
  const [wantedText, gotText] = [ownText(expected), ownText(actual)];
  if (wantedText !== gotText) differences.push({ path, expected: wantedText, actual: gotText });
  for (const pair of align(elementsOf(expected, scopes[0]), elementsOf(actual, scopes[1]))) {
    const inner = `${path}/${pair.label}`;
    if (pair.expected !== undefined && pair.actual !== undefined) {
      differences.push(...compareElements(pair.expected, pair.actual, { path: inner, scopes }));
    } else {
      differences.push({ path: inner, expected: shown(pair.expected), actual: shown(pair.actual) });
    }
  }
  return differences;
}

const shown = (element: XmlElement | undefined): string | undefined =>
  element === undefined
    ? undefined
    : element.children.some(isElement)
      ? `<${element.local}>…`
      : `<${element.local}>${ownText(element)}`;

interface Named {
  readonly name: string;
  readonly element: XmlElement;
}

const elementsOf = (parent: XmlElement, scope: Scope): Named[] =>
  parent.children.filter(isElement).map((element) => ({ name: nameIn(element, scope), element }));

interface Pair {
  readonly label: string;
  readonly expected: XmlElement | undefined;
  readonly actual: XmlElement | undefined;
}

/** Pairs elements of one name in their order; where the names part ways, the side that has less to skip is skipped. */
function align(expected: readonly Named[], actual: readonly Named[]): Pair[] {
  const pairs: Pair[] = [];
  const seen = new Map<string, number>();
  const [inExpected, inActual] = [countNames(expected), countNames(actual)];
  const add = (left: Named | undefined, right: Named | undefined): void => {
    const { name, element } = (left ?? right) as Named;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const repeats = times > 1 || (inExpected.get(name) ?? 0) > 1 || (inActual.get(name) ?? 0) > 1;
    pairs.push({
      label: repeats ? `${element.local}[${times}]` : element.local,
      expected: left?.element,
      actual: right?.element,
    });
  };
  let [left, right] = [0, 0];
  while (left < expected.length || right < actual.length) {
    const [wanted, got] = [expected[left], actual[right]];
    if (wanted?.name === got?.name) {
      add(wanted, got);
      [left, right] = [left + 1, right + 1];
      continue;
    }
    const missing = got === undefined ? 0 : distance(expected, left, got.name);
    const extra = wanted === undefined ? 0 : distance(actual, right, wanted.name);
    if (got === undefined || (wanted !== undefined && missing <= extra)) {
      add(wanted, undefined);
      left += 1;
    } else {
      add(undefined, got);
      right += 1;
    }
  }
  return pairs;
}

function countNames(elements: readonly Named[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of elements) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

// Looking further than this for where two documents meet again would cost the square of their length.
const MAX_SKIPPED = 500;

function distance(elements: readonly Named[], from: number, name: string): number {
  const ahead = elements.slice(from, from + MAX_SKIPPED).findIndex((one) => one.name === name);
  return ahead === -1 ? Number.POSITIVE_INFINITY : ahead;
}

/** `{uri}local`, or the local name alone where there is no namespace; an undeclared prefix stands for itself. */
function nameIn(element: XmlElement, outer: Scope): string {
  const scope = scopeOf(element, outer);
  const uri = scope.get(element.prefix) ?? element.prefix;
  return uri === '' ? element.local : `{${uri}}${element.local}`;
}

function scopeOf(element: XmlElement, outer: Scope): Scope {
  const declared = element.attributes.filter(([name]) => isNamespaceDeclaration(name));
  if (declared.length === 0) return outer;
  return new Map([...outer, ...declared.map(([name, uri]) => [name === 'xmlns' ? '' : name.slice(6), uri] as const)]);
}

function attributesOf(element: XmlElement, scope: Scope): Map<string, string> {
  return new Map(
    element.attributes
      .filter(([name]) => !isNamespaceDeclaration(name))
      .map(([name, value]) => {
        const { prefix, local } = splitName(name);
        return [prefix === '' ? local : `{${scope.get(prefix) ?? prefix}}${local}`, value];
      }),
  );
}

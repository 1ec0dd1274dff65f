import type { Place } from '../failure.ts';
import type { SourceText } from '../mapping/source-text.ts';

/** A profile as written: every node knows its place, every scalar keeps its characters. */
export type Node = ScalarNode | MapNode | ListNode;

export interface ScalarNode extends SourceText {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly style: 'plain' | 'single' | 'double' | 'literal' | 'folded';
  /** A `null` that took a key of a base away: nothing, also where `null` would be a value. */
  readonly removed?: true;
}

export interface MapNode {
  readonly kind: 'map';
  readonly place: Place;
  /** Written as `{ }`. */
  readonly flow: boolean;
  readonly source: SourceText;
  readonly entries: readonly Entry[];
}

/** What stands there as written; of a scalar its value. */
export const sourceOf = (node: Node): SourceText => (node.kind === 'scalar' ? node : node.source);

export interface Entry {
  readonly key: ScalarNode;
  readonly value: Node;
}

export interface ListNode {
  readonly kind: 'list';
  readonly place: Place;
  readonly flow: boolean;
  readonly source: SourceText;
  readonly items: readonly Node[];
}

export const isNull = (node: Node): boolean =>
  node.kind === 'scalar' && node.style === 'plain' && (node.text === 'null' || node.text === '');

/** The entry of a map by its key; undefined also for what is no map. */
export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.kind === 'map' ? node.entries.find((entry) => entry.key.text === key) : undefined;

/** What lies at the end of these keys, when it is there and not `null`. */
export const valueOf = (node: Node | undefined, ...keys: readonly string[]): Node | undefined => {
  const value = keys.reduce((map, key) => entryOf(map, key)?.value, node);
  return value === undefined || isNull(value) ? undefined : value;
};

/** The entries of a map that are not `null`; none for what is no map. */
export const entriesOf = (node: Node | undefined): readonly Entry[] =>
  node?.kind === 'map' ? node.entries.filter((entry) => !isNull(entry.value)) : [];

export const childrenOf = (node: MapNode | ListNode): readonly Node[] =>
  node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);

export const itemsOf = (node: Node | undefined): readonly Node[] => (node?.kind === 'list' ? node.items : []);

export const textOf = (node: Node | undefined): string | undefined => (node?.kind === 'scalar' ? node.text : undefined);

/** `a map`, `a list`, `text`: for messages. */
export const nameOfKind = (node: Node): string =>
  node.kind === 'map' ? 'a map' : node.kind === 'list' ? 'a list' : isNull(node) ? 'nothing' : 'text';

/** A node of its own for a value, as if a profile wrote it. */
export const nodeOf = (value: unknown): Node => {
  const place = { file: '', line: 1, column: 1 };
  const source: SourceText = { text: String(value), placeAt: () => place };
  if (Array.isArray(value)) return { kind: 'list', place, flow: true, source, items: value.map(nodeOf) };
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', place, style: 'plain', ...source };
  const entries = Object.entries(value).map(([key, inner]) => ({
    key: nodeOf(key) as ScalarNode,
    value: nodeOf(inner),
  }));
  return { kind: 'map', place, flow: true, source, entries };
};

// What scalars stand for ------------------------------------------------------------------------------------------------

/** What a scalar of a free tree is: its value, or a form that YAML 1.1, YAML 1.2 and JSON do not read alike. */
export type Reading = { readonly ok: true; readonly value: string | number | boolean | null } | { readonly ok: false };

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What at least one of the dialects takes for something else than text (yaml.org/type, YAML 1.2, section 10.3). */
const SOMETHING_ELSE: readonly RegExp[] = [
  /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  /^(?:~|null|Null|NULL|)$/,
  /^[-+]?(?:0b[01_]+|0o[0-7]+|0x[\da-fA-F_]+|[\d_]*\d[\d_]*)$/,
  /^[-+]?(?=[\d.])(?:\d[\d_]*)?\.?[\d_]*(?:[eE][-+]?\d+)?$/,
  /^[-+]?(?:\.inf|\.Inf|\.INF)$|^\.(?:nan|NaN|NAN)$/,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::?\d{2})?))?)?$/,
  /^(?:<<|=)$/,
];

/** Reads a scalar of a free tree: text, unless it is a number, boolean or null in JSON's form. */
export const readScalar = (node: ScalarNode): Reading => {
  const { text } = node;
  if (node.style !== 'plain') return { ok: true, value: text };
  if (text === 'null' && isNull(node)) return { ok: true, value: null };
  if (text === 'true' || text === 'false') return { ok: true, value: text === 'true' };
  if (isPlainNumber(text)) return { ok: true, value: Number(text) };
  return SOMETHING_ELSE.some((form) => form.test(text)) ? { ok: false } : { ok: true, value: text };
};

/** The value of a free tree; where a scalar is ambiguous, its text. */
export const dataOf = (node: Node): unknown => {
  if (node.kind === 'list') return node.items.map(dataOf);
  if (node.kind === 'map') return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, dataOf(value)]));
  const reading = readScalar(node);
  return reading.ok ? reading.value : node.text;
};

/** A number in JSON's form that every dialect reads alike, and that keeps its digits. */
const isPlainNumber = (text: string): boolean => {
  if (!JSON_NUMBER.test(text)) return false;
  // YAML 1.1 takes an exponent for one only after a point and with a sign.
  if (/[eE]/.test(text) && !/\.\d*[eE][+-]/.test(text)) return false;
  return /[.eE]/.test(text) ? Number.isFinite(Number(text)) : Number.isSafeInteger(Number(text));
};

/** A number of a number position: JSON's form, without quotes; undefined for anything else. */
export const readNumber = (node: ScalarNode): number | undefined =>
  node.style === 'plain' && JSON_NUMBER.test(node.text) && Number.isFinite(Number(node.text))
    ? Number(node.text)
    : undefined;

/** `true` or `false` of a boolean position, without quotes; undefined for anything else. */
export const readBoolean = (node: ScalarNode): boolean | undefined =>
  node.style === 'plain' && (node.text === 'true' || node.text === 'false') ? node.text === 'true' : undefined;

/** Checks a case's tree against its one definition, and reads the values out of it. */
import type { TSchema } from 'typebox';
import { parseDuration } from '../../engine/duration.ts';
import type { Findings } from '../../engine/profile/finding.ts';
import { didYouMean } from '../../engine/mapping/closest.ts';
import * as tree from '../../engine/profile/tree.ts';

interface Shape extends TSchema {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | false;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/** The value of a node as its schema wants it; what does not fit is a finding at its place. */
export const readNode = (node: tree.Node, schema: TSchema, name: string, findings: Findings): unknown => {
  const shape = alternativeFor(schema, node);
  if (shape === undefined) {
    const wanted = alternativesOf(schema).map(nameOf);
    findings.report('wrong-type', node.place, `${name} must be ${wanted.join(' or ')}, not ${tree.nameOfKind(node)}`);
    return undefined;
  }
  if (isFree(shape)) return readTree(node, findings);
  switch (node.kind) {
    case 'scalar':
      return readText(node, shape, name, findings);
    case 'list':
      if (node.items.length < (shape.minItems ?? 0))
        findings.report('missing-key', node.place, `${name} must not be empty`);
      return node.items.map((item, at) => readNode(item, shape.items ?? {}, `${name}[${at}]`, findings));
    case 'map':
      return readMap(node, shape, name, findings);
  }
};

const alternativesOf = (shape: Shape): readonly Shape[] => shape.anyOf?.flatMap(alternativesOf) ?? [shape];

const isFree = (shape: Shape): boolean =>
  shape.type === undefined && shape.const === undefined && shape.enum === undefined;

const takes = (shape: Shape, node: tree.Node): boolean => {
  if (isFree(shape)) return true;
  switch (node.kind) {
    case 'list':
      return shape.type === 'array';
    case 'map':
      return shape.type === 'object';
    case 'scalar':
      if (shape.type === 'null') return tree.isNull(node);
      return shape.type !== 'object' && shape.type !== 'array' && !tree.isNull(node);
  }
};

/** Of several that take scalars, a number or boolean goes to its own kind, and a word to where it is one. */
const alternativeFor = (schema: Shape, node: tree.Node): Shape | undefined => {
  const fitting = alternativesOf(schema).filter((shape) => takes(shape, node));
  if (node.kind !== 'scalar' || fitting.length < 2) return fitting[0];
  if (tree.readBoolean(node) !== undefined) {
    const flag = fitting.find(({ type }) => type === 'boolean');
    if (flag !== undefined) return flag;
  }
  if (tree.readNumber(node) !== undefined) {
    const number = fitting.find(({ type }) => type === 'number' || type === 'integer');
    if (number !== undefined) return number;
  }
  return fitting.find(({ type }) => type === 'string') ?? fitting[0];
};

const readMap = (node: tree.MapNode, shape: Shape, name: string, findings: Findings): Record<string, unknown> => {
  const { properties = {}, additionalProperties } = shape;
  const values: [string, unknown][] = [];
  for (const { key, value } of node.entries) {
    const known = Object.hasOwn(properties, key.text) ? properties[key.text] : undefined;
    const inner = known ?? (additionalProperties === false ? undefined : (additionalProperties ?? {}));
    if (inner === undefined) {
      const message = `"${key.text.slice(0, 60)}" is not known in ${name}`;
      findings.report('unknown-key', key.place, message, didYouMean(key.text, Object.keys(properties)));
    } else values.push([key.text, readNode(value, inner, key.text, findings)]);
  }
  for (const key of shape.required ?? []) {
    if (!values.some(([present]) => present === key)) {
      findings.report('missing-key', node.place, `${name} needs "${key}"`);
    }
  }
  return Object.fromEntries(values);
};

const readText = (node: tree.ScalarNode, shape: Shape, name: string, findings: Findings): unknown => {
  const wrong = (wanted: string, help?: string): undefined => {
    const message = `${name} must be ${wanted}, not "${node.text.slice(0, 60)}"`;
    findings.report('wrong-value', node.place, message, help);
  };
  const words = shape.enum ?? (shape.const === undefined ? undefined : [shape.const]);
  if (words !== undefined) {
    if (words.includes(node.text)) return node.text;
    const message = `${name} cannot be "${node.text.slice(0, 60)}"`;
    findings.report('wrong-value', node.place, message, didYouMean(node.text, words.map(String)));
    return undefined;
  }
  switch (shape.type) {
    case 'null':
      return null;
    case 'boolean':
      return tree.readBoolean(node) ?? wrong('true or false', 'without quotes');
    case 'number':
    case 'integer': {
      const value = tree.readNumber(node);
      const { minimum = -Infinity, maximum = Infinity } = shape;
      const fits = value !== undefined && value >= minimum && value <= maximum;
      return fits && (shape.type === 'number' || Number.isInteger(value)) ? value : wrong('a number', 'without quotes');
    }
    default:
      if (shape.format === 'duration' && parseDuration(node.text) === undefined) {
        return wrong('a duration', 'such as 500ms, 30s, 5m, 2h or 45d');
      }
      if (shape.format === 'instant' && !isInstant(node.text)) {
        return wrong('an instant', "like '2026-05-01T09:00:00Z', with Z or an offset");
      }
      return node.text;
  }
};

export const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** A free tree: its scalars have to mean the same to every reader of YAML. */
export const readTree = (node: tree.Node, findings: Findings): unknown => {
  switch (node.kind) {
    case 'list':
      return node.items.map((item) => readTree(item, findings));
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, readTree(value, findings)]));
    case 'scalar':
      break;
  }
  const reading = tree.readScalar(node);
  if (reading.ok) return reading.value;
  const shown = node.text.slice(0, 60);
  findings.report(
    'scalar-ambiguous',
    node.place,
    node.text === '' ? 'this value is empty' : `YAML and JSON read ${shown} differently`,
    node.text === '' ? "write null or ''" : `quote it: '${shown}'`,
  );
  return undefined;
};

const nameOf = (shape: Shape): string => {
  if (shape.type === 'object') return 'a map';
  if (shape.type === 'array') return 'a list';
  if (shape.type === 'boolean') return 'true or false';
  if (shape.type === 'number' || shape.type === 'integer') return 'a number';
  if (shape.type === 'null') return 'null';
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum.length <= 8 ? shape.enum.map(String).join(', ') : 'a word';
  return 'text';
};

import type { Findings } from './finding.ts';
import { type Kind, KINDS, type Shape } from './language/kinds.ts';
import { alternativeFor, alternativesOf, CARRIER_SHAPE, isTree, shapeOfKey } from './language/shape.ts';
import { didYouMean, slipOf } from '../mapping/closest.ts';
import * as tree from './tree.ts';
import { isRemainder } from './source-errors.ts';

/**
 * Checks a merged profile against the one definition of the language: keys, forms, words, what must be there. All
 * findings at once, each at the place of what is wrong. A base that is never dispatched to may lack keys at the top.
 */
export const checkShape = (root: tree.Node, findings: Findings, abstract: boolean): void => {
  const shape = abstract ? { ...CARRIER_SHAPE, required: ['carrier'] } : CARRIER_SHAPE;
  checkNode(root, shape, 'the profile', { findings, isWhole: false });
};

/** Of a file that inherits nothing. */
export const checkWhole = (root: tree.Node, shape: Shape, name: string, findings: Findings): void =>
  checkNode(root, shape, name, { findings, isWhole: true });

/** Of a file that inherits nothing, as a case: its value by its shape. What does not fit is a finding, and undefined. */
export const readChecked = (root: tree.Node, shape: Shape, name: string, findings: Findings): unknown => {
  checkWhole(root, shape, name, findings);
  return readValue(root, shape);
};

interface Checking {
  readonly findings: Findings;
  /** Nothing is inherited, so that a null is a value, and not what takes one back. */
  readonly isWhole: boolean;
}

const takesNull = (shape: Shape): boolean => isTree(shape) || [shape.type].flat().includes('null');

const checkNode = (node: tree.Node, shape: Shape, name: string, checking: Checking): void => {
  const { findings, isWhole } = checking;
  const isNothing = isWhole && tree.isNull(node) && !alternativesOf(shape).some(takesNull);
  const alternative = isNothing ? undefined : alternativeFor(shape, node.kind);
  if (alternative === undefined) {
    const wanted = alternativesOf(shape).map(nameOfShape).join(' or ');
    findings.report('wrong-type', node.place, `${name} must be ${wanted}, not ${tree.nameOfKind(node)}`);
    return;
  }
  if (isTree(alternative)) checkTree(node, alternative['x-kind'], findings);
  else if (node.kind === 'scalar') checkScalar(node, alternative, name, findings);
  else if (node.kind === 'list') checkList(node, alternative, name, checking);
  else checkMap(node, alternative, name, checking);
};

const checkList = (node: tree.ListNode, shape: Shape, name: string, checking: Checking): void => {
  const { findings } = checking;
  if (node.items.length < (shape.minItems ?? 0))
    findings.report('missing-key', node.place, `${name} must not be empty`);
  for (const [index, item] of node.items.entries()) {
    if (tree.isNull(item)) findings.report('wrong-type', item.place, `an entry of ${name} is empty`);
    else if (shape.items !== undefined) checkNode(item, shape.items, `${name}[${index}]`, checking);
  }
};

const checkMap = (node: tree.MapNode, shape: Shape, name: string, checking: Checking): void => {
  const { findings, isWhole } = checking;
  const present = new Set<string>();
  for (const entry of node.entries) {
    const key = entry.key.text;
    const inner = shapeOfKey(shape, key);
    if (inner === undefined) {
      checkUnknown(entry, node, shape, name, findings);
      continue;
    }
    if (!Object.hasOwn(shape.properties ?? {}, key)) checkName(entry, shape, findings);
    if (tree.isNull(entry.value) && !isWhole) {
      // An author who means "nothing" says so: an empty value is more often a slip.
      if (entry.value.kind === 'scalar' && entry.value.text === '' && entry.value.removed === undefined) {
        const help = 'write null to take an inherited value back';
        findings.report('wrong-type', entry.key.place, `"${key}" has no value`, help);
      }
      continue;
    }
    present.add(key);
    checkNode(entry.value, inner, key, checking);
  }
  if (present.size < (shape.minProperties ?? 0))
    findings.report('missing-key', node.place, `${name} must not be empty`);
  for (const key of shape.required ?? []) {
    if (!present.has(key)) findings.report('missing-key', node.place, `${name} needs "${key}"`);
  }
  const { keys, needed } = shape.meta?.oneOf ?? { keys: [], needed: false };
  const found = keys.filter((key) => present.has(key));
  if (found.length > 1) {
    const second = node.entries.find((entry) => entry.key.text === found[1]);
    const message = `${name} has both "${found[0]}" and "${found[1]}"`;
    findings.report('too-many', second?.key.place ?? node.place, message, `one of ${keys.join(', ')}`);
  } else if (found.length === 0 && needed) {
    findings.report('missing-key', node.place, `${name} needs one of ${keys.join(', ')}`);
  }
};

const checkUnknown = (entry: tree.Entry, map: tree.MapNode, shape: Shape, name: string, findings: Findings): void => {
  const key = entry.key.text;
  // The rest of an expression that YAML cut at a comma: that finding is there already.
  if (map.flow && tree.isNull(entry.value) && isRemainder(key)) return;
  const message = `"${key.slice(0, 60)}" is not known in ${name}`;
  const known = Object.keys(shape.properties ?? {});
  const slip = slipOf(key, known);
  const isFree = slip !== undefined && !map.entries.some((each) => each.key.text === slip);
  const fix = isFree ? { place: entry.key.placeAt(0), old: key, text: slip } : undefined;
  findings.report('unknown-key', entry.key.place, message, didYouMean(key, known), fix);
};

const checkName = (entry: tree.Entry, shape: Shape, findings: Findings): void => {
  const key = entry.key.text;
  const { pattern, enum: words } = shape.propertyNames ?? {};
  if (pattern !== undefined && !new RegExp(pattern).test(key)) {
    const message = `"${key.slice(0, 60)}" cannot be read in expressions`;
    findings.report('wrong-value', entry.key.place, message, 'use letters, digits and _, and begin with a letter');
  }
  if (words !== undefined && !words.includes(key)) {
    const rule = shape.meta?.rule ?? 'wrong-value';
    findings.report(rule, entry.key.place, `there is no "${key.slice(0, 60)}"`, didYouMean(key, words));
  }
};

const nameOfShape = (shape: Shape): string => {
  if (shape.type === 'object') return 'a map';
  if (shape.type === 'array') return 'a list';
  const { enum: words, 'x-kind': kind = 'text' } = shape;
  if (words !== undefined) return words.length <= 8 ? words.join(' or ') : 'a word';
  return KINDS[kind].called ?? 'text';
};

const checkScalar = (node: tree.ScalarNode, shape: Shape, name: string, findings: Findings): void => {
  const { 'x-kind': kind = 'text', enum: words, pattern } = shape;
  const wrong = (message: string, help?: string): void => findings.report('wrong-value', node.place, message, help);
  const shown = `"${node.text.slice(0, 60)}"`;
  if (words?.includes(node.text) === false) {
    const rule = shape.meta?.rule ?? 'wrong-value';
    findings.report(rule, node.place, `${name} cannot be ${shown}`, didYouMean(node.text, words));
  } else if (kind === 'word' && pattern !== undefined && !new RegExp(pattern).test(node.text)) {
    wrong(`${name} must ${shape.meta?.must ?? `match ${pattern}`}, ${shown} does not`);
  }
  const { read, called, help } = KINDS[kind];
  if (help !== undefined && read?.(node, shape) === undefined) {
    const range = shape.maximum === undefined ? '' : ` from ${shape.minimum} to ${shape.maximum}`;
    // A number without quotes is out of range.
    const isNumber = shape.maximum !== undefined && node.style === 'plain';
    wrong(`${name} must be ${called}${range}, not ${shown}`, isNumber ? undefined : help);
    return;
  }
  const issue = shape.meta?.issue?.(node.text);
  if (issue !== undefined) wrong(...issue);
};

/** A free tree: its scalars have to mean the same to every reader of YAML. */
export const checkTree = (node: tree.Node, kind: Kind | undefined, findings: Findings, inner = false): void => {
  if (node.kind !== 'scalar') for (const child of tree.childrenOf(node)) checkTree(child, kind, findings, true);
  // A mapping that is one text is a file name or JSONata, not a value of a tree.
  else if (kind === 'mapping' && !inner) return;
  else if (node.removed === undefined && !tree.readScalar(node).ok) {
    const { text, place } = node;
    if (text === '') findings.report('scalar-ambiguous', place, 'this value is empty', 'write null');
    else {
      const shown = text.slice(0, 60);
      const fix = { place: node.placeAt(0), old: text, text: `'${text}'` };
      const message = `YAML and JSON read ${shown} differently`;
      findings.report('scalar-ambiguous', place, message, `quote it: '${shown}'`, fix);
    }
  } else if (kind === 'data' && node.text.includes('${')) {
    const help = 'write a literal ${ as text elsewhere';
    findings.report('wrong-value', node.place, 'a table holds plain values, no ${ }', help);
  }
};

/** What is written, without what its shape does not know. */
const readValue = (node: tree.Node, shape: Shape): unknown => {
  const form = alternativeFor(shape, node.kind);
  if (form === undefined) return undefined;
  if (isTree(form)) return tree.dataOf(node);
  switch (node.kind) {
    case 'list':
      return node.items.map((item) => readValue(item, form.items ?? {}));
    case 'map':
      return Object.fromEntries(
        node.entries.map(({ key, value }) => [key.text, readValue(value, shapeOfKey(form, key.text) ?? {})]),
      );
    case 'scalar':
      if (tree.isNull(node)) return null;
      return ['integer', 'number', 'flag', 'literal'].includes(form['x-kind'] ?? '') ? tree.dataOf(node) : node.text;
  }
};

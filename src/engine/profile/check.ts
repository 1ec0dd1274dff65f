import { slipOf } from '../mapping/closest.ts';
import { checkScalar, checkTree } from './check-scalar.ts';
import type { Findings } from './finding.ts';
import { alternativeFor, alternativesOf, CARRIER_SHAPE, type Shape, shapeOfKey } from './schema/shape.ts';
import { didYouMean } from './suggest.ts';
import { type Entry, isNull, type ListNode, type MapNode, nameOfKind, type Node } from './tree.ts';
import { isRemainder } from './unquoted.ts';

/**
 * Checks a merged profile against the one definition of the language: keys, forms, words, what must be there. All
 * findings at once, each at the place of what is wrong. A base that is never dispatched to may lack keys at the top.
 */
export const checkShape = (root: Node, findings: Findings, abstract: boolean): void => {
  const shape = abstract ? { ...CARRIER_SHAPE, required: ['carrier'] } : CARRIER_SHAPE;
  checkNode(root, shape, 'the profile', findings);
};

const checkNode = (node: Node, shape: Shape, name: string, findings: Findings): void => {
  const alternative = alternativeFor(shape, node.kind);
  if (alternative === undefined) {
    const wanted = alternativesOf(shape).map(nameOfShape).join(' or ');
    findings.error('wrong-type', node.place, `${name} has to be ${wanted}, not ${nameOfKind(node)}`);
    return;
  }
  if (alternative['x-kind'] === 'mapping' || alternative['x-kind'] === 'value' || alternative['x-kind'] === 'data') {
    checkTree(node, alternative['x-kind'], findings);
  } else if (node.kind === 'scalar') checkScalar(node, alternative, name, findings);
  else if (node.kind === 'list') checkList(node, alternative, name, findings);
  else checkMap(node, alternative, name, findings);
};

const checkList = (node: ListNode, shape: Shape, name: string, findings: Findings): void => {
  if (node.items.length < (shape.minItems ?? 0)) findings.error('missing-key', node.place, `${name} must not be empty`);
  for (const [index, item] of node.items.entries()) {
    if (isNull(item)) findings.error('wrong-type', item.place, `an entry of ${name} is empty`);
    else if (shape.items !== undefined) checkNode(item, shape.items, `${name}[${index}]`, findings);
  }
};

const checkMap = (node: MapNode, shape: Shape, name: string, findings: Findings): void => {
  const present = new Set<string>();
  for (const entry of node.entries) {
    const key = entry.key.text;
    const inner = shapeOfKey(shape, key);
    if (inner === undefined) {
      checkUnknown(entry, node, shape, name, findings);
      continue;
    }
    if (!Object.hasOwn(shape.properties ?? {}, key)) checkName(entry, shape, findings);
    if (isNull(entry.value)) {
      // An author who means "nothing" says so: an empty value is more often a slip.
      if (entry.value.kind === 'scalar' && entry.value.text === '' && entry.value.removed === undefined) {
        findings.error(
          'wrong-type',
          entry.key.place,
          `"${key}" has no value`,
          'write null to take an inherited value back',
        );
      }
      continue;
    }
    present.add(key);
    checkNode(entry.value, inner, key, findings);
  }
  for (const key of shape.required ?? []) {
    if (!present.has(key)) findings.error('missing-key', node.place, `${name} needs "${key}"`);
  }
  for (const { keys, needed } of shape['x-one-of'] ?? []) {
    const found = keys.filter((key) => present.has(key));
    if (found.length > 1) {
      const second = node.entries.find((entry) => entry.key.text === found[1]);
      const both = `${name} has "${found[0]}" already`;
      findings.error(
        'too-many',
        second?.key.place ?? node.place,
        `${both}, so not "${found[1]}" too`,
        `one of ${keys.join(', ')}`,
      );
    } else if (found.length === 0 && needed) {
      findings.error('missing-key', node.place, `${name} needs one of ${keys.join(', ')}`);
    }
  }
};

const checkUnknown = (entry: Entry, map: MapNode, shape: Shape, name: string, findings: Findings): void => {
  const key = entry.key.text;
  // The rest of an expression that YAML cut at a comma: that finding is there already.
  if (map.flow && isNull(entry.value) && isRemainder(key)) return;
  const message = `"${key.slice(0, 60)}" is not known in ${name}`;
  const known = Object.keys(shape.properties ?? {});
  const slip = slipOf(key, known);
  const isFree = slip !== undefined && !map.entries.some((each) => each.key.text === slip);
  const fix = isFree ? { place: entry.key.placeAt(0), old: key, text: slip } : undefined;
  findings.error('unknown-key', entry.key.place, message, didYouMean(key, known), fix);
};

const checkName = (entry: Entry, shape: Shape, findings: Findings): void => {
  const key = entry.key.text;
  const { pattern, enum: words } = shape.propertyNames ?? {};
  if (pattern !== undefined && !new RegExp(pattern).test(key)) {
    const message = `"${key.slice(0, 60)}" cannot be read in expressions`;
    findings.error('wrong-value', entry.key.place, message, 'use letters, digits and _, and begin with a letter');
  }
  if (words !== undefined && !words.includes(key)) {
    findings.error(
      shape['x-rule'] ?? 'wrong-value',
      entry.key.place,
      `there is no "${key.slice(0, 60)}"`,
      didYouMean(key, words),
    );
  }
};

const nameOfShape = (shape: Shape): string => {
  if (shape.type === 'object') return 'a map';
  if (shape.type === 'array') return 'a list';
  switch (shape['x-kind']) {
    case 'word':
      return shape.enum === undefined ? 'a name' : shape.enum.length <= 8 ? shape.enum.join(' or ') : 'a word';
    case 'expr':
      return 'an expression';
    case 'duration':
    case 'lifetime':
      return 'a duration';
    case 'rate':
      return 'a rate';
    case 'size':
      return 'a size';
    case 'httpStatus':
      return 'a status';
    case 'integer':
      return 'a number';
    case 'flag':
      return 'true or false';
    case 'text':
    case 'plain':
    case 'literal':
    case 'mapping':
    case 'value':
    case 'data':
    case undefined:
      return 'text';
    default:
      return shape['x-kind'];
  }
};

import { fits, kindsOf, type Output } from '../../mapping/types/output.ts';
import { valueType } from '../../mapping/types/sample-type.ts';
import { elementsOf, TEXT, type Type } from '../../mapping/types/type.ts';
import type { Findings } from '../finding.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { type Entry, isNull, type MapNode, type Node, nameOfKind, type ScalarNode, readScalar } from '../tree.ts';
import { outputOf } from '../types/outputs.ts';
import type { Rule } from './rule.ts';

/** Mappings that are written as trees, against what is to become of them: checked as expressions are. */
export const treeOutputs: Rule = ({ trees, evidence, findings }) => {
  for (const [node, uses] of Map.groupBy(trees, (tree) => tree.node)) {
    const [output, ...others] = uses.map(({ site }) => outputOf(site, evidence));
    // What serves several outputs is checked against none, unless they are alike.
    if (output === undefined || others.some((other) => other?.type !== output.type)) continue;
    checkNode(node, output, findings);
  }
};

const checkNode = (node: Node, { type: wanted, lenient }: Output, findings: Findings): void => {
  if (wanted.any === true || elementsOf(wanted).any === true || isNull(node)) return;
  switch (node.kind) {
    case 'map':
      checkMap(node, { type: wanted, lenient }, findings);
      return;
    case 'list':
      if (wanted.list === undefined) wrong(node, wanted, findings);
      else for (const item of node.items) checkNode(item, { type: wanted.list, lenient }, findings);
      return;
    case 'scalar': {
      const given = typeOf(node);
      if (given !== undefined && !fits(given, wanted, lenient)) wrong(node, wanted, findings);
    }
  }
};

const checkMap = (node: MapNode, { type: wanted, lenient }: Output, findings: Findings): void => {
  const object = wanted.object ?? (lenient ? elementsOf(wanted).object : undefined);
  if (object === undefined) {
    wrong(node, wanted, findings);
    return;
  }
  const known = [...object.fields.keys()];
  const unknown = ({ key }: Entry): void =>
    findings.report('unknown-output', key.place, `${object.name} has no "${key.text}"`, didYouMean(key.text, known));
  for (const entry of node.entries) {
    const field = object.fields.get(entry.key.text) ?? object.others;
    if (field === undefined) unknown(entry);
    else checkNode(entry.value, { type: field, lenient }, findings);
  }
  const written = new Set(node.entries.map(({ key }) => key.text));
  for (const [name, field] of object.fields) {
    if (written.has(name) || field.missing === true || field.any === true) continue;
    findings.report('missing-output', node.place, `${object.name} needs "${name}"`);
  }
};

/** Nothing is known of a text that begins with a `${ }`: that may be all of it. */
const typeOf = (node: ScalarNode): Type | undefined => {
  if (/^\s*\$\{/.test(node.text)) return undefined;
  if (node.text.includes('${')) return TEXT;
  const reading = readScalar(node);
  return reading.ok ? valueType(reading.value, 'the value') : undefined;
};

const wrong = (node: Node, wanted: Type, findings: Findings): void => {
  const given = node.kind === 'scalar' ? `"${node.text.slice(0, 60)}"` : nameOfKind(node);
  findings.report('wrong-output', node.place, `${given} is not allowed here`, `it must be ${kindsOf(wanted)}`);
};

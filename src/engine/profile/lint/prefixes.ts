import { walk } from '../../jsonata/parse.ts';
import type { Place } from '../../failure.ts';
import type { Site } from '../compile/context.ts';
import type { Node } from '../tree.ts';
import { placeOfNode, type Rule } from './rule.ts';
import { keysOf } from './shown-words.ts';

interface Key {
  readonly name: string;
  readonly place: () => Place;
}

/**
 * undeclared-prefix: a key of an XML or SOAP body whose namespace prefix neither the envelope nor the mapping itself
 * declares. Where in the mapping a declaration stands is not looked at.
 */
export const undeclaredPrefix: Rule = ({ uses, trees, findings }) => {
  const check = ({ codec, prefixes = [] }: Site, keys: readonly Key[]): void => {
    if (codec !== 'xml' && codec !== 'soap') return;
    const own = keys.flatMap(({ name }) => /^@xmlns:(.+)$/.exec(name)?.[1] ?? []);
    const declared = new Set(['xml', 'xmlns', ...prefixes, ...own]);
    for (const { name, place } of keys) {
      const [, prefix] = /^@?([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*$/.exec(name) ?? [];
      if (prefix === undefined || declared.has(prefix)) continue;
      const help = `declare it in namespaces of soap, or as '@xmlns:${prefix}' on this element or one around it`;
      findings.report('undeclared-prefix', place(), `the namespace prefix "${prefix}" is not declared`, help);
    }
  };
  for (const { source, tree, site, whole } of uses) {
    const keys = [...keysOf(tree)].map((node) => ({
      name: String(node.value),
      place: () => placeOfNode(source, node),
    }));
    let writesText = false;
    walk(tree, ({ type, value }) => void (writesText ||= type === 'variable' && value === 'toXml'));
    // Text inside text has prefixes of its own.
    if (whole && !writesText) check(site, keys);
  }
  for (const { node, site } of trees) check(site, keysIn(node));
};

const keysIn = (node: Node): readonly Key[] => {
  if (node.kind === 'list') return node.items.flatMap(keysIn);
  if (node.kind !== 'map') return [];
  return node.entries.flatMap(({ key, value }) =>
    key.text === '#xml' ? [] : [{ name: key.text, place: () => key.place }, ...keysIn(value)],
  );
};

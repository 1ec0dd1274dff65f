import type { Policy, PolicyRule } from '../../policy/policy.ts';
import { policy as POLICY, policyRule } from '../language/policy.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { read } from './read.ts';

const SITE = { position: 'rule' } as const;

/** A checked file. What stands at the policy holds for each rule that does not say it; its carriers make the last one. */
export const compilePolicy = (context: Context, root: Node): Omit<Policy, 'hash'> | undefined => {
  const keys = read(context, POLICY, root, SITE);
  if (keys === undefined) return undefined;
  const { policy: name, currency, exchange, timeZone, tables, fallback, carriers, rank, weights } = keys;
  const rules = itemsOf(valueOf(root, 'rules')).flatMap((node, at): readonly PolicyRule[] => {
    const rule = read(context, policyRule, [node, root], SITE);
    return rule === undefined ? [] : [{ ...rule, name: rule.name ?? `rule ${at + 1}`, place: node.place }];
  });
  const rest = { name: 'the policy', place: root.place, when: undefined, from: undefined, to: undefined };
  const isOwn = rules.length === 0 || carriers !== undefined;
  return {
    name,
    place: root.place,
    currency,
    exchange,
    timeZone,
    tables,
    fallback,
    rules: isOwn ? [...rules, { ...rest, carriers, rank, weights }] : rules,
  };
};

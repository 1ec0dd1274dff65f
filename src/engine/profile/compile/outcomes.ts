import { OUTCOME_WORDS, type OutcomeRule, type StatusRange } from '../carrier.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import { compileExpr, type Context, type Site } from './context.ts';
import { wordOf } from './layers.ts';

/** Lists of rules, nearest first: the step's, the operation's, the profile's. */
export const compileOutcomes = (context: Context, lists: readonly Node[], site: Site): readonly OutcomeRule[] =>
  lists.flatMap((list) => {
    const rules = itemsOf(list).flatMap((rule) => compileRule(context, rule, site) ?? []);
    context.outcomeLists.push(rules);
    return rules;
  });

const compileRule = (context: Context, node: Node, site: Site): OutcomeRule | undefined => {
  const word = wordOf(valueOf(node, 'do'), OUTCOME_WORDS);
  const status = valueOf(node, 'status');
  const [when, code, messages] = [valueOf(node, 'when'), valueOf(node, 'code'), valueOf(node, 'messages')];
  const expr = (each: Node | undefined) => (each === undefined ? undefined : compileExpr(context, each, site));
  const rule = {
    place: node.place,
    status: status === undefined ? undefined : (status.kind === 'list' ? status.items : [status]).flatMap(rangeOf),
    when: expr(when),
    code: expr(code),
    messages: expr(messages),
  };
  return word === undefined ? undefined : { ...rule, do: word };
};

/** `404` or `4xx`. */
const rangeOf = (node: Node): readonly StatusRange[] => {
  if (node.kind !== 'scalar' || !/^[1-5](?:\d\d|xx)$/.test(node.text)) return [];
  if (!node.text.endsWith('xx')) return [{ from: Number(node.text), to: Number(node.text) }];
  const from = Number(node.text.charAt(0)) * 100;
  return [{ from, to: from + 99 }];
};

/** Finds comparisons that never hold: with a text that the value cannot be. */
import type { Ast } from '../../jsonata/parse.ts';
import { closest } from '../closest.ts';
import { COUNTRY } from './schema-type.ts';
import * as t from './type.ts';
import type { TypeWalk } from './type-walk.ts';

/** `=`, `!=` or `in`; the types are those of its sides. */
export const checkComparison = (walk: TypeWalk, node: Ast, left: t.Type, right: t.Type): void => {
  const [lhs, rhs] = [node.lhs as Ast, node.rhs as Ast];
  for (const literal of literalsOf(rhs)) compareText(walk, literal, left);
  for (const literal of literalsOf(lhs)) compareText(walk, literal, right);
  if (node.value === 'in') compareList(walk, rhs, right, left);
};

const literalsOf = (node: Ast): readonly Ast[] => {
  if (node.type === 'string') return [node];
  const isList = node.type === 'unary' && node.value === '[';
  return isList ? (node.expressions ?? []).filter((item) => item.type === 'string') : [];
};

/** Reports a list, kept in a variable, with a text that what is looked for in it never is. */
const compareList = (walk: TypeWalk, node: Ast, list: t.Type, sought: t.Type): void => {
  const [words, held] = [t.knownTextsOf(sought), t.knownTextsOf(t.elementsOf(list))];
  const wrong =
    sought.closed === true && list.list !== undefined ? [...(held ?? [])].find((text) => !words?.has(text)) : undefined;
  if (wrong === undefined || words === undefined || literalsOf(node).length > 0) return walk.accept('list', node);
  const meant = closest(wrong, words);
  const help = meant === undefined ? undefined : `did you mean "${meant}"?`;
  return walk.report('list', node, {
    rule: ruleOf(words),
    message: `this list has "${wrong}", which it never is`,
    help,
  });
};

/** What is no country today may have been written with care: for Kosovo, or for a shipper who does not follow the rule. */
const ruleOf = (words: t.Type['text']) => (words === COUNTRY.text ? 'unknown-country' : 'impossible-comparison');

const LISTED_MAX = 32;

/** Reports a literal that is compared with a value that can only be other texts, or only a number. */
const compareText = (walk: TypeWalk, literal: Ast, against: t.Type): void => {
  const element = t.elementsOf(against);
  const text = String(literal.value);
  const words = element.closed === true ? t.knownTextsOf(element) : undefined;
  if (words !== undefined && !words.has(text)) {
    const meant = closest(text, words);
    const listed = words.size > LISTED_MAX ? undefined : `it is one of ${[...words].join(', ')}`;
    walk.report('word', literal, {
      rule: ruleOf(words),
      message: `this is never "${text}"`,
      help: meant === undefined ? listed : `did you mean "${meant}"?`,
    });
  } else if (t.isOnly(element, 'number') && element.sequence === undefined) {
    walk.report('word', literal, {
      rule: 'impossible-comparison',
      message: 'a number is never equal to a text',
      help: Number.isFinite(Number(text)) && text.trim() !== '' ? `write ${Number(text)} without quotes` : undefined,
    });
  } else walk.accept('word', literal);
};

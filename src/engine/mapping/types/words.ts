import type { Ast } from '../../jsonata/parse.ts';
import { closest } from '../closest.ts';
import { elementsOf, isOnly, type Type, wordsOf } from './type.ts';
import type { Walker } from './walker.ts';

interface Comparison {
  readonly left: Ast;
  readonly right: Ast;
  readonly one: Type;
  readonly other: Type;
}

/** A text written out that is compared with what can only be one of other texts, or only a number. */
export const compareWords = (walker: Walker, { left, right, one, other }: Comparison): void => {
  for (const literal of literalsOf(right)) compare(walker, literal, one);
  for (const literal of literalsOf(left)) compare(walker, literal, other);
};

const literalsOf = (node: Ast): readonly Ast[] => {
  if (node.type === 'string') return [node];
  const isList = node.type === 'unary' && node.value === '[';
  return isList ? (node.expressions ?? []).filter((item) => item.type === 'string') : [];
};

const compare = (walker: Walker, literal: Ast, against: Type): void => {
  const element = elementsOf(against);
  const text = String(literal.value);
  const words = element.closed === true ? wordsOf(element) : undefined;
  if (words !== undefined && !words.has(text)) {
    const meant = closest(text, words);
    walker.report('word', literal, {
      rule: 'impossible-comparison',
      message: `this is never "${text}"`,
      help: meant === undefined ? `it is one of ${[...words].join(', ')}` : `did you mean "${meant}"?`,
    });
  } else if (isOnly(element, 'number') && element.sequence === undefined) {
    walker.report('word', literal, {
      rule: 'impossible-comparison',
      message: 'a number is never equal to a text',
      help: Number.isFinite(Number(text)) && text.trim() !== '' ? `write ${Number(text)} without quotes` : undefined,
    });
  } else walker.accept('word', literal);
};

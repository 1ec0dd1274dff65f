import { didYouMean } from '../../mapping/closest.ts';
import { entriesOf, type Node, textOf, valueOf } from '../tree.ts';
import type { Context } from './context.ts';

type Layers = readonly [Node, ...Node[]];

/** Each layer before the fragments that it uses. */
export const withFragments = (context: Context, layers: Layers): Layers => {
  const fragments = valueOf(context.profile, 'fragments');
  const used = (layer: Node): readonly Node[] => {
    const names = valueOf(layer, 'use');
    return (names?.kind === 'list' ? names.items : names === undefined ? [] : [names]).flatMap((name) => {
      const text = textOf(name) ?? '';
      const fragment = valueOf(fragments, text);
      const known = entriesOf(fragments).map(({ key }) => key.text);
      const help = didYouMean(text, known) ?? 'declare it under fragments';
      if (fragment === undefined)
        context.findings.report('wrong-value', name.place, `there is no fragment "${text.slice(0, 60)}"`, help);
      context.usedFragments.add(text);
      return fragment ?? [];
    });
  };
  const [first, ...more] = layers;
  return [first, ...used(first), ...more.flatMap((layer) => [layer, ...used(layer)])];
};

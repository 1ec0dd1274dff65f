import { envelopePrefix } from '../../codecs/soap.ts';
import { didYouMean } from '../../mapping/closest.ts';
import type { Step } from '../carrier.ts';
import { envelope, step as stepKeys } from '../language/steps.ts';
import { entriesOf, type Node, textOf, valueOf } from '../tree.ts';
import type { Context, Site } from './context.ts';
import { inherited, inheritedAll, read } from './read.ts';

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

/** What fragments and the step write of an envelope is one. */
export const compileBody = (context: Context, own: Layers, site: Site): Step['body'] => {
  const bodies = inheritedAll(own, 'body');
  const [soap, ...more] = bodies.flatMap((body) => valueOf(body, 'soap') ?? []);
  if (soap?.kind !== 'map') return read(context, stepKeys.body, bodies, site);
  if (valueOf(bodies[0], 'soap') === soap && inherited([soap, ...more], 'body') === undefined)
    context.findings.report('missing-key', soap.place, 'soap needs "body"');
  const of = <K extends keyof typeof envelope>(key: K) =>
    read(context, envelope[key], inheritedAll([soap, ...more], key), site);
  const namespaces = of('namespaces');
  const prefixes = [...Object.keys(namespaces), envelopePrefix(namespaces, of('version'))];
  return read(context, stepKeys.body, bodies, { ...site, prefixes });
};

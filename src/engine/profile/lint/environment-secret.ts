import { SHOWN } from '../../mapping/roots.ts';
import { pathsOf, placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

/** secret-shown: a value of the environment that is made from a credential, where what is yielded is kept or shown. */
export const environmentSecret: Rule = ({ carrier, context, findings }) => {
  const secret = new Set(
    Object.values(carrier.environments).flatMap((environment) =>
      Object.entries({ url: environment.url, ...environment.values })
        .filter(([, mapping]) => !mapping.constant && /\bcredentials\b/.test(mapping.text))
        .map(([key]) => key),
    ),
  );
  if (secret.size === 0) return;
  for (const { source, tree, site } of context.uses) {
    if (!SHOWN.has(site.position)) continue;
    for (const { names, node } of pathsOf(tree)) {
      const [root, key] = names;
      if (root !== 'environment' || key === undefined || !secret.has(key)) continue;
      const message = `environment.${key} is made from credentials, and cannot be used in ${site.position}`;
      findings.error('secret-shown', placeOfNode(source, node), message, 'what is kept or shown cannot hold a secret');
    }
  }
};

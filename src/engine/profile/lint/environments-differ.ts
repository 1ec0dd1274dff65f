import { entriesOf, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/** environments-differ: a key that one environment has and another has not. */
export const environmentsDiffer: Rule = ({ profile, findings }) => {
  const environments = entriesOf(valueOf(profile, 'environments'));
  const keys = new Set(environments.flatMap((each) => entriesOf(each.value).map((entry) => entry.key.text)));
  for (const { key: name, value } of environments) {
    const own = new Set(entriesOf(value).map((entry) => entry.key.text));
    for (const key of keys) {
      // Without a URL there is a finding already.
      if (own.has(key) || key === 'url') continue;
      const message = `${name.text} has no "${key}", which another environment has`;
      findings.error('environments-differ', name.place, message, 'every environment has the same keys');
    }
  }
};

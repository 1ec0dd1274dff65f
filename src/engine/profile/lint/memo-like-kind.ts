import { itemsOf, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/** The contract's kinds of identifiers, which a status names in any case (§2.7). */
const KINDS: readonly string[] = ['Tracking', 'Reference', 'Order', 'Consignment'];

/** memo-like-kind: a memo that no status can name by its `type`, for that is taken for one of the contract's kinds. */
export const memoLikeKind: Rule = ({ profile, findings }) => {
  for (const node of itemsOf(valueOf(profile, 'memo'))) {
    if (node.kind !== 'scalar') continue;
    const kind = KINDS.find((each) => each.toLowerCase() === node.text.toLowerCase());
    if (kind === undefined) continue;
    const message = `a status of type "${node.text}" is about the contract's ${kind}, never about this memo`;
    findings.warning('memo-like-kind', node.place, message, `name it otherwise, as in ${node.text}Id`);
  }
};

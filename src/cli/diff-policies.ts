/** Policies in `waybill diff`: each order through two versions of a policy, with the carriers and tariffs of each. */
import { Failure } from '../engine/failure.ts';
import { formatFinding } from '../engine/profile/finding.ts';
import type { Homes } from '../engine/profile/chain.ts';
import { policyNames } from '../engine/profile/policies.ts';
import { choosingBy, startComparing } from '../workbench/policies/compare.ts';
import { loaderOf, tryPolicy } from '../workbench/policies/open.ts';
import { orderOf, type WishedOrder } from '../workbench/policies/order.ts';
import type { PolicyChange } from '../workbench/policies/show-moves.ts';
import { type Payload, showPlace } from '../workbench/replay/payload.ts';

/** The policies of a version; without any where it is one profile alone. */
export interface PoliciesOf {
  readonly names: readonly string[];
  open(name: string): ReturnType<typeof tryPolicy>;
}

export const policiesOf = (homes: Homes | undefined): PoliciesOf => {
  if (homes === undefined) return { names: [], open: () => ({ opened: undefined, findings: [] }) };
  const load = loaderOf(homes);
  return { names: policyNames(homes), open: (name) => tryPolicy(name, homes, load) };
};

type Opened = NonNullable<ReturnType<PoliciesOf['open']>['opened']>;

/** What it is made of, by the hashes of all that has one. */
const versionOf = ({ policy, carriers }: Opened): string =>
  [policy.hash, ...carriers.map(({ hash }) => hash)].join(' ');

export interface PolicyPair {
  readonly add: (order: WishedOrder, nowMs: number, at: string) => Promise<void>;
  readonly change: () => PolicyChange;
}

export const comparePolicy = (policy: string, from: PoliciesOf, to: PoliciesOf): PolicyPair | PolicyChange => {
  if (!from.names.includes(policy)) return { policy, state: 'new' };
  if (!to.names.includes(policy)) return { policy, state: 'gone' };
  const [before, after] = [from.open(policy), to.open(policy)];
  const why = [...after.findings, ...before.findings].slice(0, 1).map(formatFinding).join('');
  if (after.opened === undefined)
    return before.opened === undefined ? { policy, state: 'same' } : { policy, state: 'broken', why };
  if (before.opened === undefined) return { policy, state: 'mended', why };
  const { opened: one } = before;
  const { opened: other } = after;
  if (versionOf(one) === versionOf(other)) return { policy, state: 'same' };
  const [chooseBefore, chooseAfter, comparing] = [choosingBy(one), choosingBy(other), startComparing()];
  return {
    add: async (order, nowMs, at) =>
      comparing.add(await chooseBefore(order, nowMs), await chooseAfter(order, nowMs), at),
    change: () => ({
      policy,
      state: 'compared',
      from: one.policy.hash,
      to: other.policy.hash,
      ...comparing.difference(),
    }),
  };
};

/** False when a policy cannot use it; of what is no order, nothing is asked of it. */
export const addToPolicies = async (
  payload: Payload,
  pairs: ReadonlyMap<string, PolicyPair>,
  { service, nowMs }: { readonly service: string | undefined; readonly nowMs: number },
): Promise<boolean> => {
  const given = givenIn(payload, nowMs);
  if (given === undefined) return true;
  try {
    const order = orderOf(given.order);
    const serviceType = service ?? order.serviceType ?? given.serviceType;
    for (const [name, pair] of pairs)
      if (given.only === undefined || given.only === name)
        await pair.add({ ...order, serviceType }, given.nowMs, showPlace(payload.place));
    return true;
  } catch (thrown) {
    if (thrown instanceof Failure) return false;
    throw thrown;
  }
};

/** undefined: it is no order that was created. `only`: the policy whose case it is. */
const givenIn = (payload: Payload, nowMs: number) => {
  const of = (order: unknown, serviceType?: unknown, only?: string, atMs = nowMs) => ({
    order,
    serviceType: typeof serviceType === 'string' ? serviceType : undefined,
    only,
    nowMs: atMs,
  });
  switch (payload.kind) {
    case 'order':
      return of(payload.body, undefined, undefined, payload.createdAtMs);
    case 'consignment':
      return of(payload.consignment, payload.consignment['typeOfService']);
    case 'case': {
      const { content, consignment, carrier } = payload.caseFile;
      const [step] = content.flow;
      const { now, service } = content.given ?? {};
      const atMs = now === undefined ? nowMs : Date.parse(now);
      if (step?.do === 'choose') return of(consignment, service, carrier, atMs);
      // A recorded dispatch, which stands in no file.
      const isRecorded = step?.do === 'create' && payload.place.line === 0;
      return isRecorded ? of(consignment, consignment?.['typeOfService'], undefined, atMs) : undefined;
    }
    default:
      return undefined;
  }
};

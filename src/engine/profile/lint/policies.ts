import type { Place } from '../../failure.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { serviceNames } from '../../consignment/service.ts';
import type { Policy, PolicyEntry, PolicyRule } from '../../policy/policy.ts';
import type { Zone } from '../../rates/zones.ts';
import type { Carrier } from '../carrier.ts';
import type { Context } from '../compile/context.ts';
import { itemsOf, type Node, type ScalarNode, sourceOf, textOf, valueOf } from '../tree.ts';
import { ANY, both, type Cases, casesOf, isWithin } from './conditions.ts';
import { PRICE_ALONE } from '../../policy/policy.ts';
import { COMPLETENESS_RULES } from './declarations.ts';
import { expressions } from './expressions.ts';
import { EXPRESSION_RULES } from './jsonata.ts';
import { type LintInput, schemasOnly } from './rule.ts';

interface Known {
  /** Those that load. */
  readonly carriers: ReadonlyMap<string, Carrier>;
  /** All that have a profile. */
  readonly codes: readonly string[];
}

/** Runs every rule over a policy that has been checked and compiled. */
export const lintPolicy = (policy: Policy, context: Context, known: Known): void => {
  lintExpressions(context, `policies/${policy.name}`, policy.tables);
  const { profile: root } = context;
  const written = itemsOf(valueOf(root, 'rules'));
  // One that does not compile is told of already, and the places of the others are not theirs.
  if (policy.rules.length < written.length) return;
  // A key that is misspelt may be the condition.
  const isRead = !context.findings.list().some(({ rule }) => rule === 'unknown-key');
  const before: Filter[] = [];
  for (const [at, rule] of policy.rules.entries()) {
    const node = written[at];
    const filter = filterAt(context, node ?? root, rule, node === undefined);
    const own: RuleAt = { context, policy, rule, filter, layers: node === undefined ? [root] : [node, root] };
    if (filter.cases.length === 0) neverHolds(context, filter);
    else if (node !== undefined && isRead && before.some((one) => covers(one, filter)))
      context.findings.report(
        'unreachable-rule',
        filter.place,
        `no order comes to ${rule.name}: an earlier rule takes all that it is for`,
        'put the narrower rule first',
      );
    before.push(filter);
    checkRank(own, known);
    checkEntries(own, known);
  }
};

/** What expressions of a file that is no profile are checked for. */
export const lintExpressions = (context: Context, code: string, tables: Policy['tables']): void => {
  const nothing = {
    operations: {},
    credentials: {},
    settings: {},
    environments: {},
    auths: {},
    memo: [],
    capabilities: {},
  };
  const carrier = { ...nothing, code, tables, abstract: false, services: undefined };
  const input = {
    ...context,
    carrier: carrier as unknown as LintInput['carrier'],
    evidence: schemasOnly(code, { home: NO_FILES, shipped: NO_FILES }, context.findings),
  };
  for (const rule of [expressions, ...EXPRESSION_RULES, ...COMPLETENESS_RULES]) rule(input);
};

const NO_FILES = { read: () => undefined, list: () => [] };

// Filters -------------------------------------------------------------------------------------------------------------

interface Filter extends Pick<PolicyEntry, 'from' | 'to'> {
  readonly cases: Cases;
  /** Of its condition, else of what it filters. */
  readonly place: Place;
}

/** `isRest`: what stands at the policy itself, which has no condition. */
const filterAt = (
  { uses }: Context,
  node: Node,
  { from, to }: Pick<PolicyEntry, 'from' | 'to'>,
  isRest = false,
): Filter => {
  const when = isRest ? undefined : valueOf(node, 'when');
  const at = when && sourceOf(when);
  const use = uses.find(({ source }) => source === at);
  return {
    from,
    to,
    cases: use === undefined ? (when === undefined ? ANY : UNREAD) : casesOf(use.tree),
    place: (when ?? node).place,
  };
};

/** A condition that does not parse. */
const UNREAD: Cases = [{ bounds: new Map(), isMore: true }];

const neverHolds = ({ findings }: Context, { place }: Filter, why = 'what it asks for excludes each other'): void =>
  findings.report('never-holds', place, `this condition never holds: ${why}`);

/** Whatever comes to the other would come to it. */
const covers = (wide: Filter, narrow: Filter): boolean =>
  isWithin(narrow.cases, wide.cases) && holds(wide.from, narrow.from) && holds(wide.to, narrow.to);

const holds = (wide: Zone | undefined, narrow: Zone | undefined): boolean => {
  if (wide === undefined || JSON.stringify(wide) === JSON.stringify(narrow)) return true;
  const isWhole = wide.postcodes === undefined;
  return isWhole && narrow?.countries?.every((country) => wide.countries?.includes(country) !== false) === true;
};

/** None of the countries of one is one of the other. */
const areApart = (one: readonly string[] | undefined, other: readonly string[] | undefined): boolean =>
  one !== undefined && other !== undefined && !one.some((country) => other.includes(country));

// Carriers ------------------------------------------------------------------------------------------------------------

interface RuleAt {
  readonly context: Context;
  readonly policy: Policy;
  readonly rule: PolicyRule;
  readonly filter: Filter;
  /** The rule, and the policy, where it is written what the rule does not say. */
  readonly layers: readonly Node[];
}

const writtenAt = ({ layers }: RuleAt, key: string): Node | undefined =>
  layers.map((node) => valueOf(node, key)).find((node) => node !== undefined);

const checkEntries = (at: RuleAt, { carriers, codes }: Known): void => {
  const { context, rule, filter } = at;
  const { findings } = context;
  const nodes = itemsOf(writtenAt(at, 'carriers'));
  const before: (Filter & PolicyEntry)[] = [];
  for (const [index, entry] of (rule.carriers ?? []).entries()) {
    const node = nodes[index];
    if (node === undefined || nodes.length !== rule.carriers?.length) return;
    const named = valueOf(node, 'carrier') ?? node;
    const carrier = carriers.get(entry.carrier);
    if (carrier?.abstract === true || !codes.includes(entry.carrier)) {
      if (carrier === undefined) {
        const help = didYouMean(entry.carrier, codes);
        findings.report('unknown-carrier', named.place, `there is no carrier "${entry.carrier}"`, help);
      } else findings.report('unknown-carrier', named.place, `nothing is dispatched to the base "${entry.carrier}"`);
      continue;
    }
    for (const service of itemsOf(valueOf(node, 'services')) as readonly ScalarNode[])
      if (carrier !== undefined) checkService(context, service, carrier);
    const own = filterAt(context, node, entry);
    const together = both(filter.cases, own.cases);
    const { from, to } = carrier?.capabilities ?? {};
    if (own.cases.length === 0) neverHolds(context, own);
    else if (filter.cases.length > 0 && together.length === 0)
      neverHolds(context, own, `${rule.name} is for other orders`);
    else if (areApart(own.to?.countries, filter.to?.countries) || areApart(own.from?.countries, filter.from?.countries))
      neverHolds(context, own, `${rule.name} is for other countries`);
    else if (
      areApart(own.to?.countries ?? filter.to?.countries, to) ||
      areApart(own.from?.countries ?? filter.from?.countries, from)
    )
      neverHolds(context, own, `${entry.carrier} does not serve these countries`);
    else if (before.some((one) => one.carrier === entry.carrier && admits(one, entry) && covers(one, own))) {
      const message = `${entry.carrier} stands here already, for all that this is for`;
      findings.report('unreachable-rule', named.place, message, 'remove it, or put the narrower one first');
    }
    before.push({ ...entry, ...own });
  }
};

const admits = ({ services: wide }: PolicyEntry, { services: narrow }: PolicyEntry): boolean =>
  wide === undefined || narrow?.every((service) => wide.includes(service)) === true;

const checkService = ({ findings }: Context, node: ScalarNode, carrier: Carrier): void => {
  const known = serviceNames(carrier);
  if (known.some((name) => name.toLowerCase() === node.text.toLowerCase())) return;
  const message = `${carrier.code} has no service "${node.text.slice(0, 60)}"`;
  findings.report('unknown-service', node.place, message, didYouMean(node.text, known));
};

// Ranks ---------------------------------------------------------------------------------------------------------------

const SHARES = 100;
const NEGLIGIBLE = 0.000_001;

const checkRank = (at: RuleAt, { carriers, codes }: Known): void => {
  const { rule, policy, context, layers } = at;
  const { findings } = context;
  const place = (writtenAt(at, 'rank') ?? layers[0])?.place ?? policy.place;
  const entries = rule.carriers ?? [];
  const nodes = itemsOf(writtenAt(at, 'carriers'));
  const idle = (key: string, needs: string): void => {
    for (const node of nodes) {
      const written = valueOf(node, key);
      if (written !== undefined) findings.report('no-effect', written.place, `nothing asks for "${key}"`, needs);
    }
  };
  if (rule.rank === 'shares') {
    for (const node of nodes)
      if (valueOf(node, 'share') === undefined) {
        const code = textOf(valueOf(node, 'carrier') ?? node);
        findings.report('wrong-shares', node.place, `"${code}" has no share`, 'write { carrier, share }');
      }
    // One carrier's services share what it has.
    const shares = entries.map(({ share = 0 }) => share);
    const sum = shares.reduce((total, share) => total + share, 0);
    if (rule.carriers === undefined)
      findings.report('wrong-shares', place, 'shares are of carriers, of which none is named', 'add carriers');
    else if (
      nodes.length === entries.length &&
      entries.every(({ share }) => share !== undefined) &&
      Math.abs(sum - SHARES) > NEGLIGIBLE
    )
      findings.report('wrong-shares', place, `the shares add up to ${Number(sum.toFixed(6))}, not to 100`);
  } else idle('share', 'it is for rank: shares');
  const weights = layers.map((node) => valueOf(node, 'weights')).find((node) => node !== undefined);
  if (rule.rank !== 'best' && valueOf(layers[0], 'weights') !== undefined && weights !== undefined)
    findings.report('no-effect', weights.place, 'nothing asks for "weights"', 'they are for rank: best');
  if (rule.rank !== 'best' || !((rule.weights?.quality ?? 0) > 0)) idle('quality', 'it is for weights: { quality }');
  const { price, days, emissions } = rule.weights ?? PRICE_ALONE;
  if (['first', 'shares'].includes(rule.rank) || (rule.rank === 'best' && price + days + emissions === 0)) return;
  const compared = (entries.length > 0 ? entries.map(({ carrier }) => carrier) : codes).flatMap(
    (code) => carriers.get(code) ?? [],
  );
  // Where there is but one, nothing is compared.
  for (const [index, { carrier: code }] of entries.length > 1 ? entries.entries() : []) {
    const carrier = carriers.get(code);
    if (
      carrier === undefined ||
      carrier.abstract ||
      carrier.operations.rates !== undefined ||
      carrier.tariffs.length > 0
    )
      continue;
    const message = `${code} has neither an operation rates nor a tariff: it comes after all that have`;
    findings.report('unpriced', nodes[index]?.place ?? place, message);
  }
  const currencies = [...new Set(compared.flatMap(({ tariffs }) => tariffs.map(({ currency }) => currency)))];
  const { currency = currencies[0], exchange = {} } = policy;
  const alien = currencies.filter((one) => one !== currency && exchange[one] === undefined);
  if (alien.length > 0 && rule.rank !== 'fastest')
    findings.report(
      'unpriced',
      place,
      `prices in ${alien.join(', ')} cannot be compared with ${currency}`,
      'say currency and exchange',
    );
};

import { type Ast, walk } from '../../jsonata/parse.ts';
import type { Place } from '../../failure.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { KINDS } from '../../statuses/match.ts';
import { entriesOf, entryOf, itemsOf, type Node, valueOf } from '../tree.ts';
import { type LintInput, placeOfNode, readsOf, type Rule, tablesAsked, authsOf } from './rule.ts';
import { operationsOf, type OutcomeRule, REMEMBERING, type Step } from '../carrier.ts';
import type { StatusRange } from '../language/kinds.ts';
import { missingUndo, noEffect, silentSuccess } from './undone.ts';

const SECTIONS = ['credentials', 'settings'] as const;

/** unused: credentials, settings, tables and memos that no expression reads, fragments that no step uses, memos that no result writes. */
const unused: Rule = (input) => {
  const { uses, profile, findings } = input;
  const report = (node: Node, message: string): void =>
    findings.report('unused', node.place, message, 'use it, or remove it');
  for (const section of SECTIONS) {
    const isRead = readsOf(uses, section);
    for (const { key, value } of entriesOf(valueOf(profile, section))) {
      // What a registration fills is kept for whoever takes the webhook back.
      if (isRead(key.text) || valueOf(value, 'from') !== undefined) continue;
      report(key, `nothing reads ${section}.${key.text}`);
    }
  }
  const isRead = readsOf(uses, 'tables');
  const asked = new Set(tablesAsked(uses).map(({ name }) => name));
  for (const { key } of entriesOf(valueOf(profile, 'tables'))) {
    if (isRead(key.text) || asked.has(key.text) || asked.has(undefined)) continue;
    report(key, `nothing uses the table "${key.text}"`);
  }
  for (const { key } of entriesOf(valueOf(profile, 'fragments')))
    if (!input.usedFragments.has(key.text)) report(key, `no step uses the fragment "${key.text}"`);
  const { named, isOpen } = metadataWritten(input);
  for (const node of itemsOf(valueOf(profile, 'memo'))) {
    if (isOpen || node.kind !== 'scalar' || named.some(({ name }) => name === node.text)) continue;
    report(node, `no result writes the memo "${node.text}"`);
  }
};

/** auth-not-used: declared in `auths`, named nowhere. */
const authNotUsed: Rule = ({ usedAuths, profile, findings }) => {
  for (const { key } of entriesOf(valueOf(profile, 'auths'))) {
    if (usedAuths.has(key.text)) continue;
    const help = 'name it at auth, or remove it';
    findings.report('auth-not-used', key.place, `nothing uses the auth "${key.text}"`, help);
  }
};

/** environments-differ: a key that one environment has and another has not. */
const environmentsDiffer: Rule = ({ profile, findings }) => {
  const environments = entriesOf(valueOf(profile, 'environments'));
  const keys = new Set(environments.flatMap(({ value }) => entriesOf(value).map(({ key }) => key.text)));
  for (const { key: name, value } of environments) {
    for (const key of keys) {
      // Without a URL there is a finding already.
      if (key === 'url' || valueOf(value, key) !== undefined) continue;
      const message = `${name.text} has no "${key}", which another environment has`;
      findings.report('environments-differ', name.place, message, 'every environment has the same keys');
    }
  }
};

/**
 * missing-key: fields that a registration is to fill, in a profile that registers nothing. undeclared-field: what a
 * registration, written as a tree, would keep in fields that no account has.
 */
const registration: Rule = ({ carrier, profile, findings }) => {
  const register = valueOf(profile, 'operations', 'register');
  for (const section of SECTIONS) {
    for (const { key, value } of entriesOf(valueOf(profile, section))) {
      const from = valueOf(value, 'from');
      if (from === undefined || register !== undefined) continue;
      const help = 'add the operation register, or ask for the field';
      findings.report('missing-key', from.place, `nothing fills "${key.text}"`, help);
    }
    const declared = Object.keys(carrier[section]);
    for (const { key } of entriesOf(valueOf(register, 'result', section))) {
      if (declared.includes(key.text)) continue;
      const help = didYouMean(key.text, declared) ?? `declare it under ${section}`;
      findings.report('undeclared-field', key.place, `${section} has no '${key.text.slice(0, 60)}'`, help);
    }
  }
};

/** unknown-table: `$table` of one that `tables` does not declare. A path into `tables` is told by its type. */
const unknownTable: Rule = ({ carrier, uses, findings }) => {
  const known = Object.keys(carrier.tables);
  for (const { name, place } of tablesAsked(uses)) {
    if (name === undefined || known.includes(name)) continue;
    const help = didYouMean(name, known) ?? 'declare it under tables';
    findings.report('unknown-table', place, `there is no table "${name.slice(0, 60)}"`, help);
  }
};

/** undeclared-memo: what is remembered without being declared in `memo`. What is read is told by its type. */
const undeclaredMemo: Rule = (input) => {
  const declared = input.carrier.memo;
  for (const { name, place } of metadataWritten(input).named) {
    if (declared.includes(name)) continue;
    const help = didYouMean(name, declared) ?? `declare it: memo: [${[...declared, name].join(', ')}]`;
    input.findings.report('undeclared-memo', place, `memo does not declare "${name}"`, help);
  }
};

interface MetadataWritten {
  readonly named: { readonly name: string; readonly place: Place }[];
  /** Some keys can only be told by a run. */
  isOpen: boolean;
}

/** The keys of every `memo` that a result writes, in JSONata or as a tree. */
const metadataWritten = ({ uses, profile }: LintInput): MetadataWritten => {
  const written: MetadataWritten = { named: [], isOpen: false };
  for (const { source, tree, site } of uses) {
    if (site.remembers !== true) continue;
    walk(tree, (node) => {
      for (const [key, value] of pairsOf(node) ?? []) {
        if (key.type !== 'string' || key.value !== 'memo') continue;
        const pairs = pairsOf(value);
        written.isOpen ||= pairs?.every(([name]) => name.type === 'string') !== true;
        for (const [name] of pairs ?? []) {
          if (name.type === 'string')
            written.named.push({ name: String(name.value), place: placeOfNode(source, name) });
        }
      }
    });
  }
  const addTree = (node: Node | undefined): void => {
    for (const item of itemsOf(node)) addTree(item);
    if (node?.kind !== 'map') return;
    const memo = entryOf(node, 'memo')?.value;
    written.isOpen ||= memo !== undefined && memo.kind !== 'map';
    for (const { key } of entriesOf(memo)) written.named.push({ name: key.text, place: key.place });
    for (const { value } of node.entries) addTree(value);
  };
  for (const operation of [...REMEMBERING].map((name) => valueOf(profile, 'operations', name)))
    for (const one of [operation, ...itemsOf(valueOf(operation, 'variants'))]) addTree(valueOf(one, 'result'));
  return written;
};

/** The keys and values of an object that an expression makes. */
const pairsOf = (node: Ast): readonly (readonly [Ast, Ast])[] | undefined =>
  node.type === 'unary' && node.value === '{' && Array.isArray(node.lhs) ? (node.lhs as [Ast, Ast][]) : undefined;

/** memo-like-kind: a memo that no status can name by its `type`, for that is taken for one of the contract's kinds. */
const memoLikeKind: Rule = ({ profile, findings }) => {
  for (const node of itemsOf(valueOf(profile, 'memo'))) {
    const kind = KINDS.find((each) => node.kind === 'scalar' && each.toLowerCase() === node.text.toLowerCase());
    if (kind === undefined || node.kind !== 'scalar') continue;
    const message = `a status of type "${node.text}" always means the contract's ${kind}, never this memo`;
    findings.report('memo-like-kind', node.place, message, `use another name, such as ${node.text}Id`);
  }
};

export const DECLARATION_RULES: readonly Rule[] = [memoLikeKind, environmentsDiffer];
/** A base may leave these to its heirs. */
export const COMPLETENESS_RULES: readonly Rule[] = [undeclaredMemo, unknownTable, authNotUsed, registration, unused];

/** no-create: a carrier that nothing can be dispatched to. */
export const noCreate: Rule = ({ carrier, profile, findings }) => {
  if (carrier.operations.create !== undefined) return;
  const help = 'add the operation create, or abstract: true for a base';
  findings.report('no-create', profile.place, 'nothing can be dispatched to this carrier', help);
};

/** key-never-sent: the carrier is said to know a repeat by its key, but no request carries one. */
const keyNeverSent: Rule = ({ carrier, findings }) => {
  for (const operation of operationsOf(carrier)) {
    if (operation.idempotency.by !== 'key' || operation.steps.some(sendsKey)) continue;
    const message = `no request of ${operation.name} sends the key`;
    findings.report('key-never-sent', operation.place, message, 'send ${idempotencyKey} where the carrier expects it');
  }
};

const sendsKey = (step: Step): boolean => {
  const soapHeader = step.body?.codec === 'soap' ? step.body.header : undefined;
  return [step.url, ...Object.values(step.headers), ...Object.values(step.query), step.body?.content, soapHeader].some(
    (mapping) => mapping !== undefined && /\bidempotencyKey\b/.test(mapping.text),
  );
};

/** missing-expiry: a login without a declared token lifetime, so the token is used until a request is rejected. */
const missingExpiry: Rule = ({ carrier, findings }) => {
  for (const auth of authsOf(carrier)) {
    if (auth.kind !== 'session' || auth.expiresIn !== undefined || auth.expiresAt !== undefined) continue;
    const help = 'set expiresIn or expiresAt';
    findings.report('missing-expiry', auth.place, 'the lifetime of this token is not declared', help);
  }
};

/** What a rule without `status` is asked about: not what the built-ins keep for themselves. */
const UNRESERVED: readonly StatusRange[] = [
  { from: 100, to: 400 },
  { from: 402, to: 402 },
  { from: 404, to: 407 },
  { from: 409, to: 428 },
  { from: 430, to: 499 },
];

/** unreachable-outcome: a rule that an earlier one of the same list always answers before. */
const unreachableOutcome: Rule = ({ outcomeLists, findings }) => {
  for (const rules of outcomeLists) {
    for (const [at, rule] of rules.entries()) {
      const before = rules.slice(0, at).filter((earlier) => earlier.when === undefined);
      if (!isCovered(rule, before)) continue;
      const help = 'put the narrower rule first';
      findings.report('unreachable-outcome', rule.place, 'an earlier rule always matches first', help);
    }
  }
};

const statusesOf = ({ status = UNRESERVED }: OutcomeRule): readonly number[] =>
  status.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));

const isCovered = (rule: OutcomeRule, before: readonly OutcomeRule[]): boolean => {
  const covering = new Set(before.flatMap(statusesOf));
  return covering.size > 0 && statusesOf(rule).every((status) => covering.has(status));
};

/** too-few-calls: an order as large as the carrier takes would need more calls than its operation may make. */
const tooFewCalls: Rule = ({ carrier, findings }) => {
  const { maxPackages = 0 } = carrier.capabilities;
  for (const { steps } of Object.values(carrier.operations)) {
    for (const { forEach, batch = 1, limits, place } of steps) {
      const calls = Math.ceil(maxPackages / batch);
      if (calls <= limits.calls || !/\b(?:itemList|packages)\b/.test(forEach?.text ?? '')) continue;
      const message = `${maxPackages} packages need ${calls} calls, and ${limits.calls} are allowed`;
      findings.report('too-few-calls', place, message, 'raise limits.calls');
    }
  }
};

export const OPERATION_RULES: readonly Rule[] = [
  keyNeverSent,
  missingExpiry,
  unreachableOutcome,
  tooFewCalls,
  noEffect,
  silentSuccess,
  missingUndo,
];

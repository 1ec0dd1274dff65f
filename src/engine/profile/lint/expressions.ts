import { formatPlace } from '../../failure.ts';
import { type Ast, walk } from '../../jsonata/parse.ts';
import { type Checked, checkExpression } from '../../mapping/types/check-expression.ts';
import { judgeOutput, reportCollapse, fits, kindsOf, type Output } from '../../mapping/types/output.ts';
import type { TypeFinding, TypeWalk } from '../../mapping/types/type-walk.ts';
import type { SourceText } from '../../mapping/source-text.ts';
import { once } from '../../value.ts';
import type { Site, Use } from '../compile/context.ts';
import type { Findings } from '../finding.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import type { LintInput, Rule, Evidence } from './rule.ts';
import { valueType } from '../../mapping/types/sample-type.ts';
import {
  elementsOf,
  TEXT,
  type Type,
  anyObject,
  listOf,
  objectOf,
  orMissing,
  knownTextsOf,
  union,
} from '../../mapping/types/type.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { type Entry, isNull, type MapNode, type Node, nameOfKind, type ScalarNode, readScalar } from '../tree.ts';
import { ASKED_NAMES, askedOf } from '../../ask/operations.ts';
import { Answer } from '../../consignment/answer.ts';
import { FIELD_NAMES } from '../../consignment/shipper-field.ts';
import { StatusUpdate } from '../../statuses/status-update.ts';
import type { Position } from '../../mapping/roots.ts';
import { schemaType } from '../../mapping/types/schema-type.ts';
import type { OperationName } from '../carrier.ts';

/**
 * All that types tell of an expression: what it names that is not there, calls that cannot be, comparisons that never
 * hold, and values that its output cannot hold. What several positions share (a mapping file, a profile's rule of
 * outcomes) may name what at least one of them sees.
 */
export const expressions: Rule = (input) => {
  for (const { source, checked } of expressionsOf(input)) {
    for (const found of checked().findings) report(input.findings, source, found);
  }
};

/** The expressions of a profile, and how whatever stands in their places is checked. */
export const expressionsOf = once((input: LintInput) => {
  const types = rootTypesOf(input);
  return [...Map.groupBy(input.uses, keyOf).values()].flatMap((uses) => {
    const [first] = uses;
    if (first === undefined) return [];
    const { source, tree, file } = first;
    const own = (file ?? source.placeAt(0).file).includes(`/${input.carrier.code}`);
    const sites = uses.map(({ site }) => site);
    const surrounding = {
      positions: [...new Set(sites.map(({ position }) => position))],
      roots: joinRoots(sites.map((site) => types(site, own))),
    };
    const check = (given: Ast, text: string): Checked =>
      checkExpression(given, text, surrounding, (_, seen) => checkOutput(seen, given, uses, input));
    const checked = once((text: string) => check(tree, text));
    // `checked`: as it stands, once.
    return [{ source, tree, sites, surrounding, check, checked: () => checked(source.text) }];
  });
}, new WeakMap());

/** The same for all uses of one text, which several positions may share. */
const keyOf = ({ source }: Use): string => `${formatPlace(source.placeAt(0))}:${source.text.length}`;

const checkOutput = (seen: TypeWalk, tree: Ast, uses: readonly Use[], { evidence }: LintInput): void => {
  const outputs = uses.flatMap(({ site, whole }) => (whole ? [outputOf(site, evidence)] : []));
  const [output] = outputs;
  // What serves several outputs is checked against none, unless they are alike.
  if (output !== undefined && outputs.every((other) => other?.type === output.type)) judgeOutput(seen, tree, output);
  if (uses.some(({ site }) => site.codec === 'json')) checkArrays(seen, tree);
  if (uses.every(({ site }) => site.namesFields === true)) checkNames(seen, tree);
};

/** Names of fields of the order: what is put together of several texts is not known. */
const checkNames = (seen: TypeWalk, tree: Ast): void => {
  for (const name of knownTextsOf(elementsOf(seen.typeOf(tree))) ?? []) {
    if (name === '' || /\[\d+\]/.test(name) || FIELD_NAMES.includes(name)) continue;
    const message = `"${name}" is no field of an order`;
    seen.report(`names ${name}`, tree, { rule: 'unknown-path', message, help: didYouMean(name, FIELD_NAMES) });
  }
};

/** In a JSON body: a value that is an array only where there are several elements. */
const checkArrays = (seen: TypeWalk, tree: Ast): void => {
  const report = (node: Ast): void => {
    for (const value of valuesOf(node)) {
      const type = seen.typeOf(value);
      if (type.sequence === true && type.list !== undefined) reportCollapse(seen, value);
    }
  };
  report(tree);
  walk(tree, (node) => {
    if (node.type !== 'unary' || node.value !== '{') return;
    for (const [, value] of node.lhs as readonly (readonly [Ast, Ast])[]) report(value);
  });
};

/** What an expression comes to: the branches of a condition, the last part of a block. */
const valuesOf = (node: Ast): readonly Ast[] => {
  if (node.type === 'condition')
    return [node.then, node.else].flatMap((each) => (each === undefined ? [] : valuesOf(each)));
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined ? [node] : valuesOf(last);
};

const report = (findings: Findings, source: SourceText, { rule, offset, message, help, fix }: TypeFinding): void => {
  const edit = fix === undefined ? undefined : { place: source.placeAt(fix.offset), old: fix.old, text: fix.text };
  findings.report(rule, source.placeAt(offset), message, help, edit);
};

/** Mappings that are written as trees, against what is to become of them: checked as expressions are. */
export const treeOutputs: Rule = ({ trees, evidence, findings }) => {
  for (const [node, uses] of Map.groupBy(trees, (tree) => tree.node)) {
    const [output, ...others] = uses.map(({ site }) => outputOf(site, evidence));
    // What serves several outputs is checked against none, unless they are alike.
    if (output === undefined || others.some((other) => other?.type !== output.type)) continue;
    checkNode(node, output, findings);
  }
};

const checkNode = (node: Node, { type: wanted, lenient }: Output, findings: Findings): void => {
  if (wanted.any === true || elementsOf(wanted).any === true || isNull(node)) return;
  switch (node.kind) {
    case 'map':
      checkMap(node, { type: wanted, lenient }, findings);
      return;
    case 'list':
      if (wanted.list === undefined) wrong(node, wanted, findings);
      else for (const item of node.items) checkNode(item, { type: wanted.list, lenient }, findings);
      return;
    case 'scalar': {
      const given = typeOf(node);
      if (given !== undefined && !fits(given, wanted, lenient)) wrong(node, wanted, findings);
    }
  }
};

const checkMap = (node: MapNode, { type: wanted, lenient }: Output, findings: Findings): void => {
  const object = wanted.object ?? (lenient ? elementsOf(wanted).object : undefined);
  if (object === undefined) {
    wrong(node, wanted, findings);
    return;
  }
  const known = [...object.fields.keys()];
  const unknown = ({ key }: Entry): void =>
    findings.report('unknown-output', key.place, `${object.name} has no "${key.text}"`, didYouMean(key.text, known));
  for (const entry of node.entries) {
    const field = object.fields.get(entry.key.text) ?? object.others;
    if (field === undefined) unknown(entry);
    else checkNode(entry.value, { type: field, lenient }, findings);
  }
  const written = new Set(node.entries.map(({ key }) => key.text));
  for (const [name, field] of object.fields) {
    if (written.has(name) || field.missing === true || field.any === true) continue;
    findings.report('missing-output', node.place, `${object.name} needs "${name}"`);
  }
};

/** Nothing is known of a text that begins with a `${ }`: that may be all of it. */
const typeOf = (node: ScalarNode): Type | undefined => {
  if (/^\s*\$\{/.test(node.text)) return undefined;
  if (node.text.includes('${')) return TEXT;
  const reading = readScalar(node);
  return reading.ok ? valueType(reading.value, 'the value') : undefined;
};

const wrong = (node: Node, wanted: Type, findings: Findings): void => {
  const given = node.kind === 'scalar' ? `"${node.text.slice(0, 60)}"` : nameOfKind(node);
  findings.report('wrong-output', node.place, `${given} is not allowed here`, `it must be ${kindsOf(wanted)}`);
};

const ANSWER = schemaType(Answer, 'the result');
const EVENTS = listOf(schemaType(StatusUpdate, 'the event'));

/** An answer that need not speak of packages. */
const ANSWER_OF_NONE = schemaType({ ...Answer, required: [] }, 'the result');

/** It brings one document for all, or is one itself. */
const ANSWER_OR_LABEL = union(ANSWER_OF_NONE, schemaType(Answer.properties.label, 'label'));

const REGISTERED = objectOf(
  { credentials: orMissing(anyObject('credentials')), settings: orMissing(anyObject('settings')) },
  { name: 'the result' },
);

const RESULTS: Readonly<Partial<Record<OperationName, Type>>> = {
  create: ANSWER,
  update: ANSWER,
  lookup: orMissing(ANSWER_OF_NONE),
  label: ANSWER_OR_LABEL,
  track: EVENTS,
  register: REGISTERED,
  ...Object.fromEntries(
    ASKED_NAMES.flatMap((name) => {
      const { result: schema } = askedOf(name);
      return schema === undefined ? [] : [[name, schemaType(schema, 'the result')]];
    }),
  ),
};
const REQUESTS: ReadonlySet<Position> = new Set(['request', 'register', 'undo']);

/** What is to become of an expression's value; undefined where nothing is known of that. */
const outputOf = ({ position, operation, codec, step }: Site, evidence: Evidence): Output | undefined => {
  // What a lookup of a step yields is a body of the carrier's.
  const isResult = position === 'result' && operation !== undefined && step === undefined;
  const result = isResult ? RESULTS[operation] : position === 'events' ? EVENTS : undefined;
  if (result !== undefined) return { type: result, lenient: true };
  if (!REQUESTS.has(position) || codec === undefined || step === undefined) return undefined;
  const schema = evidence.schema(`${step}.request`);
  return schema === undefined ? undefined : { type: schemaType(schema, 'the body'), lenient: codec !== 'json' };
};

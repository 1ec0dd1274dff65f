import { formatPlace } from '../../failure.ts';
import { type Ast, walk } from '../../jsonata/parse.ts';
import { type Checked, checkExpression } from '../../mapping/types/check-expression.ts';
import { judgeOutput, reportCollapse } from '../../mapping/types/output.ts';
import type { TypeFinding, TypeWalk } from '../../mapping/types/type-walk.ts';
import type { SourceText } from '../../mapping/source-text.ts';
import { once } from '../../value.ts';
import type { Site, Use } from '../compile/context.ts';
import type { Findings } from '../finding.ts';
import { outputOf } from '../types/outputs.ts';
import { joinRoots, rootTypesOf } from '../types/root-types.ts';
import type { LintInput, Rule } from './rule.ts';

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

/** An expression of a profile, and how whatever stands in its place is checked. */
export interface CheckedExpression {
  readonly source: SourceText;
  readonly tree: Ast;
  /** Where it stands. */
  readonly sites: readonly Site[];
  check(tree: Ast, text: string): Checked;
  /** As it stands, checked once. */
  readonly checked: () => Checked;
}

export const expressionsOf = once((input: LintInput): readonly CheckedExpression[] => {
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
    return [{ source, tree, sites, check, checked: () => checked(source.text) }];
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

import type { Auth, Carrier, Step, OperationName } from '../carrier.ts';
import type { Context, Use } from '../compile/context.ts';
import { type Ast, startOfNode, walk } from '../../jsonata/parse.ts';
import type { Place } from '../../failure.ts';
import type { SourceText } from '../../mapping/source-text.ts';
import { once } from '../../value.ts';
import type { JsonSchema } from '../../mapping/types/schema-type.ts';
import type { Homes } from '../chain.ts';
import type { Findings } from '../finding.ts';

/** What a rule reads: the merged profile, what it compiled to, and every expression in it. */
export interface LintInput extends Omit<Context, 'auths' | 'files' | 'engine'> {
  readonly carrier: Omit<Carrier, 'hash'>;
  readonly evidence: Evidence;
}

export type Rule = (input: LintInput) => void;

/** All auths, by their names or written out where they are used. */
export const authsOf = (carrier: LintInput['carrier']): readonly Auth[] => [
  ...new Set([
    ...Object.values(carrier.auths),
    ...stepsOf(carrier).flatMap((step) => step.auth),
    ...(carrier.statuses.webhook?.auth ?? []),
  ]),
];

const stepsOf = (carrier: LintInput['carrier']): readonly Step[] =>
  Object.values(carrier.operations).flatMap((operation) => operation.steps);

/** The place of a node in the file its expression stands in. */
export const placeOfNode = (source: SourceText, node: Ast): Place =>
  source.placeAt(startOfNode(source.text, node) ?? 0);

/** A path's leading names: `item.memo.id`, and `$item.memo.id` alike. */
interface Names {
  readonly names: readonly string[];
  readonly node: Ast;
}

/** The paths of an expression, by the names they begin with. */
export const pathsOf = once((tree: Ast): readonly Names[] => {
  const found: Names[] = [];
  const heads = new Set<Ast>();
  walk(tree, (node) => {
    if (node.type === 'variable' && !heads.has(node)) found.push({ names: [String(node.value)], node });
    if (node.type !== 'path') return;
    const nodes: Ast[] = [];
    for (const step of node.steps ?? []) {
      if (step.type !== 'name' && !(step.type === 'variable' && nodes.length === 0)) break;
      nodes.push(step);
      heads.add(step);
    }
    // `$$` is the document, whose fields are the roots.
    const rest = nodes[0]?.type === 'variable' && nodes[0].value === '$' ? nodes.slice(1) : nodes;
    if (rest.length > 0) found.push({ names: rest.map((step) => String(step.value)), node });
  });
  return found;
}, new WeakMap());

/**
 * Tells whether the expressions read a field of a root. Any may be read where one of them uses the root in a way that
 * only a run can tell.
 */
export const readsOf = (uses: readonly Use[], root: string): ((field: string) => boolean) => {
  const paths = uses.flatMap(({ tree }) => pathsOf(tree)).filter(({ names }) => names[0] === root);
  const read = new Set(paths.map(({ names }) => names[1]));
  return (field) => read.has(undefined) || read.has(field);
};

/** Every `$table(…)` of the expressions; its name is undefined where it is not written out. */
export const tablesAsked = (uses: readonly Use[]): readonly { name: string | undefined; place: Place }[] => {
  const found: { name: string | undefined; place: Place }[] = [];
  for (const { source, tree } of uses) {
    walk(tree, ({ type, procedure, arguments: [first] = [] }) => {
      if (type !== 'function' || procedure?.type !== 'variable' || procedure.value !== 'table' || !first) return;
      const name = first.type === 'string' ? String(first.value) : undefined;
      found.push({ name, place: placeOfNode(source, first) });
    });
  }
  return found;
};

/** What is known of a carrier beside its profile and its mappings. */
export interface Evidence {
  /** Bodies that the answers of an operation have in the carrier's cases; without a name those of all operations. */
  answers(operation: OperationName | undefined): readonly unknown[];
  /** Bodies of the requests that its webhook gets in its cases. */
  pushes(): readonly unknown[];
  /** What all its cases hold: in bodies, parts of URLs and expectations. */
  words(): Words;
  /** The carrier's own schema of a body: `create.request`, `create.booking.response`, `webhook.request`. */
  schema(name: string): JsonSchema | undefined;
}

interface Words {
  /** Without namespace. */
  readonly keys: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

/** The schemas of a carrier, `schemas/<carrier>/<name>.json` in its home; its cases are not looked at. */
export const schemasOnly = (code: string, { home }: Homes, findings: Findings): Evidence => ({
  answers: () => [],
  pushes: () => [],
  words: () => ({ keys: new Set(), texts: new Set() }),
  schema: once((name) => {
    const file = `schemas/${code}/${name}.json`;
    const text = home.read(file);
    return text === undefined ? undefined : parseSchema(file, text, findings);
  }),
});

const parseSchema = (file: string, text: string, findings: Findings): JsonSchema | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    findings.report('wrong-schema', { file, line: 1, column: 1 }, 'a JSON Schema is an object');
  } catch {
    findings.report('wrong-schema', { file, line: 1, column: 1 }, 'this is not JSON');
  }
  return undefined;
};

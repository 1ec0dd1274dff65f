import { INNER_LEVELS_MAX, innerText, isInnerTextKey } from '../../codecs/inner-text.ts';
import { Failure, type Place } from '../../failure.ts';
import type { Ast } from '../../jsonata/parse.ts';
import type { Engine } from '../../mapping/engine.ts';
import { compileExpression, parseExpression } from '../../mapping/expression.ts';
import { endOfExpression, compileTemplate, type TextPosition, inOrder } from '../../mapping/template.ts';
import type { Mapping, EvaluationContext } from '../../mapping/mapping.ts';
import type { Position } from '../../mapping/roots.ts';
import { sliceOf, type SourceText } from '../../mapping/source-text.ts';
import type { Auth, OperationName, OutcomeRule } from '../carrier.ts';
import type { Findings } from '../finding.ts';
import type { MappingFiles } from '../home-files.ts';
import { childrenOf, type Node, type ScalarNode, sourceOf, readScalar } from '../tree.ts';

/** Where an expression stands: what it sees, and what becomes of its value. */
export interface Site {
  readonly position: Position;
  /** It is the body of a request, in this codec. */
  readonly codec?: string;
  /** Those that its SOAP envelope declares. */
  readonly prefixes?: readonly string[];
  /** It yields an answer that may leave something in the memo. */
  readonly remembers?: boolean;
  /** The operation that it belongs to, and the step by its name: `create`, `create.booking`, `login.login`. */
  readonly operation?: OperationName;
  readonly step?: string;
  /** What the step goes through: each element is an `item`. */
  readonly forEach?: SourceText;
  /** It tells which numbers of `track` go together: of each by itself. */
  readonly batchBy?: true;
  /** It yields names of fields of the order. */
  readonly namesFields?: true;
  /** Of which variant of the operation. */
  readonly variant?: number | undefined;
}

/** One expression of a profile, where it is used: what lint reads. */
export interface Use {
  readonly source: SourceText;
  readonly tree: Ast;
  readonly site: Site;
  /** The mapping file it is, which other positions may share. */
  readonly file: string | undefined;
  /** It is the whole of a mapping, so that an object it yields is the result. */
  readonly whole: boolean;
}

/** What all sections of one profile are compiled with, and what they leave for lint. */
export type Context = ReturnType<typeof contextFor>;

/** `profile` is merged; `engine`: other than the one the environment names, for whoever watches evaluations. */
export const contextFor = (profile: Node, findings: Findings, files: MappingFiles, engine?: Engine) => ({
  profile,
  findings,
  files,
  engine,
  uses: [] as Use[],
  /** Maps and lists that are the whole of a mapping. */
  trees: [] as { readonly node: Exclude<Node, ScalarNode>; readonly site: Site }[],
  /** Texts that may hold `${ }`. */
  texts: [] as ScalarNode[],
  /** Texts that are URLs, or the end of one. */
  urls: [] as ScalarNode[],
  compiled: new Map<string, Mapping>(),
  /** Rules as each list of outcomes holds them, before lists are joined. */
  outcomeLists: [] as (readonly OutcomeRule[])[],
  /** Those under `auths`, by name, and which of the names something uses. */
  auths: new Map<string, Auth>(),
  usedAuths: new Set<string>(),
  /** Names of `fragments` that a step uses. */
  usedFragments: new Set<string>(),
  /** Hosts that absolute URLs of the profile name. */
  hosts: new Set<string>(),
});

/** Stands for what does not compile; a carrier with such a finding is never loaded. */
const broken = (place: Place, text: string): Mapping => ({
  place,
  text,
  constant: false,
  evaluate: () => {
    throw new Failure('this did not compile', { code: 'mapping_failed', place });
  },
});

const attempt = (context: Context, source: SourceText, compile: () => Mapping): Mapping => {
  try {
    return compile();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    context.findings.report('jsonata-syntax', thrown.place ?? source.placeAt(0), thrown.message, thrown.help);
    return broken(source.placeAt(0), source.text);
  }
};

const parseUse = (context: Context, source: SourceText, rest: Omit<Use, 'source' | 'tree'>): Ast => {
  const tree = parseExpression(source);
  context.uses.push({ source, tree, ...rest });
  return tree;
};

/** Bare JSONata; `whole`: it is all of a mapping. */
export const compileExpr = (context: Context, node: ScalarNode, site: Site, whole = false): Mapping => {
  if (/^\s*\$\{[^]*\}\s*$/.test(node.text)) {
    context.findings.report('jsonata-syntax', node.place, 'this must be a bare expression', 'write it without ${ }');
    return broken(node.place, node.text);
  }
  return attempt(context, node, () =>
    compileExpression(node, context.engine, parseUse(context, node, { site, file: undefined, whole })),
  );
};

/** A text that may hold `${ }`, encoded for where it stands. */
export const compileText = (context: Context, node: ScalarNode, site: Site, at: TextPosition): Mapping => {
  useParts(context, node, site);
  const written = at === 'url' ? HOST.exec(node.text)?.[1] : undefined;
  const host = written === undefined ? undefined : URL.parse(`https://${written}`)?.host;
  if (host !== undefined) context.hosts.add(host);
  else if (written !== undefined) context.findings.report('wrong-value', node.place, `"${written}" is not a host`);
  context.texts.push(node);
  if (at === 'url' || at === 'base') context.urls.push(node);
  return attempt(context, node, () => compileTemplate(node, at, context.engine));
};

/** The host of an absolute URL, as far as it is written out. */
const HOST = /^https?:\/\/([^/?#$@\s]+)(?:[/?#]|$)/i;

const useParts = (context: Context, source: SourceText, site: Site): void => {
  const { text } = source;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at)) {
    const end = text[at - 1] === '$' ? undefined : endOfExpression(text, at + 2);
    if (end !== undefined) {
      try {
        parseUse(context, sliceOf(source, at + 2, end), { site, file: undefined, whole: false });
      } catch (thrown) {
        // The compilation of the text reports it.
        if (!(thrown instanceof Failure)) throw thrown;
      }
    }
    at = end ?? at + 2;
  }
};

/** A tree whose texts may hold `${ }`; a scalar is a tree of one. */
export const compileValue = (context: Context, node: Node, site: Site): Mapping => {
  useTexts(context, node, site);
  return attempt(context, sourceOf(node), () => compileTree(node, context.engine));
};

const useTexts = (context: Context, node: Node, site: Site): void => {
  if (node.kind !== 'scalar') {
    for (const child of childrenOf(node)) useTexts(context, child, site);
    return;
  }
  const reading = readScalar(node);
  if (reading.ok && typeof reading.value !== 'string') return;
  useParts(context, node, site);
  context.texts.push(node);
};

const FILE = /^[^\s"'`(){}[\]$&,;:]+\.jsonata$/;

/** A mapping: a `.jsonata` file by its name, bare JSONata, or a tree. */
export const compileMapping = (context: Context, node: Node, site: Site): Mapping => {
  if (node.kind !== 'scalar') {
    context.trees.push({ node, site });
    return compileValue(context, node, site);
  }
  const name = node.text.trim();
  return FILE.test(name) ? compileFile(context, node, name, site) : compileExpr(context, node, site, true);
};

const compileFile = (context: Context, node: ScalarNode, name: string, site: Site): Mapping => {
  const found = context.files.find(name, node.place);
  if (found === undefined) return broken(node.place, name);
  const { source, path } = found;
  return attempt(context, source, () => {
    const tree = parseUse(context, source, { site, file: path, whole: true });
    const mapping = context.compiled.get(path) ?? compileExpression(source, context.engine, tree);
    context.compiled.set(path, mapping);
    return mapping;
  });
};

type Branch = Required<Pick<Mapping, 'constant' | 'evaluate' | 'parts'>>;

/**
 * Compiles a tree whose texts may hold `${ }`. A text that is one whole `${ }` keeps the value's type; without a
 * value its key, or its element of a list, is left out. Throws `mapping_syntax`.
 */
export const compileTree = (node: Node, engine?: Engine): Mapping => {
  const source = sourceOf(node);
  return { ...compileNode(node, [], engine), place: source.placeAt(0), text: source.text };
};

const compileNode = (node: Node, path: readonly (string | number)[], engine: Engine | undefined): Branch => {
  if (node.kind === 'scalar') {
    const reading = readScalar(node);
    if (reading.ok && typeof reading.value !== 'string') {
      return constantly(reading.value, [{ path, place: node.place, text: node.text }]);
    }
    const { constant, evaluate, place, text } = compileTemplate(node, 'value', engine);
    return { constant, evaluate, parts: [{ path, place, text }] };
  }
  const keys = node.kind === 'map' ? node.entries.map(({ key }) => key.text) : [...node.items.keys()];
  const branches = childrenOf(node).map((child, at) => {
    const below = [...path, keys[at] ?? at];
    return asInnerText(compileNode(child, below, engine), below, child.place);
  });
  const parts = branches.flatMap((branch) => branch.parts);
  const names = keys.map((key) => (isInnerTextKey(key) ? '#text' : key));
  const join = (values: readonly unknown[]): unknown => {
    if (node.kind === 'list') return values.filter((value) => value !== undefined);
    if (keys.length === 1 && isInnerTextKey(keys[0])) return values[0];
    // By entries, so that a key `__proto__` is a key like any other.
    return Object.fromEntries(names.map((name, at) => [name, values[at]]).filter(([, held]) => held !== undefined));
  };
  // Frozen, for all evaluations share it. A constant looks neither at roots nor at the context.
  if (branches.every(({ constant }) => constant)) {
    return constantly(
      Object.freeze(join(branches.map(({ evaluate }) => evaluate({}, {} as EvaluationContext)))),
      parts,
    );
  }
  return {
    constant: false,
    evaluate: (roots, context) => inOrder(branches, (branch) => branch.evaluate(roots, context), join),
    parts,
  };
};

/**
 * What stands under `#xml` or `#json` becomes its text, beside attributes the text of their element. Only keys of the
 * tree itself do that: the same keys in what an order or a carrier says are data.
 */
const asInnerText = (branch: Branch, path: readonly (string | number)[], place: Place): Branch => {
  const key = path.at(-1);
  if (!isInnerTextKey(key)) return branch;
  if (path.filter(isInnerTextKey).length > INNER_LEVELS_MAX) {
    throw new Failure(`there are more than ${INNER_LEVELS_MAX} levels of text inside text`, {
      code: 'mapping_syntax',
      place,
    });
  }
  const written = ([value]: readonly unknown[]): unknown => {
    try {
      return innerText(key, value);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      throw new Failure(thrown.message, { code: thrown.code, help: thrown.help, place, cause: thrown });
    }
  };
  if (branch.constant) return constantly(written([branch.evaluate({}, {} as EvaluationContext)]), branch.parts);
  return { ...branch, evaluate: (roots, context) => inOrder([branch], (one) => one.evaluate(roots, context), written) };
};

const constantly = (value: unknown, parts: Branch['parts']): Branch => ({
  constant: true,
  evaluate: () => value,
  parts,
});

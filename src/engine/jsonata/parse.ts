import jsonata from 'jsonata';
import { ExpressionFailure } from './failure.ts';

/** A filter (`[…]`) or position binding (`#$i`) behind a step. */
export interface Stage {
  readonly type: 'filter' | 'index';
  readonly expr?: Ast;
  readonly value?: string;
  readonly position?: number;
}

export interface Group {
  readonly lhs: readonly (readonly [Ast, Ast])[];
  readonly position: number;
}

/** The tree as the jsonata package parses it: which fields are there depends on `type`. */
export interface Ast {
  readonly type: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly keepArray?: boolean;
  readonly predicate?: readonly Stage[];
  readonly group?: Group;
  // paths and their steps
  readonly steps?: readonly Ast[];
  readonly stages?: readonly Stage[];
  readonly keepSingletonArray?: boolean;
  readonly consarray?: boolean;
  readonly tuple?: boolean;
  readonly focus?: string;
  readonly index?: string;
  readonly ancestor?: { readonly label: string };
  readonly slot?: { readonly label: string };
  readonly terms?: readonly { readonly descending: boolean; readonly expression: Ast }[];
  // operators, constructors
  readonly lhs?: unknown;
  readonly rhs?: Ast;
  readonly expression?: Ast;
  readonly expressions?: readonly Ast[];
  readonly condition?: Ast;
  readonly then?: Ast;
  readonly else?: Ast;
  // functions
  readonly procedure?: Ast;
  readonly arguments?: readonly Ast[];
  readonly thunk?: boolean;
  readonly body?: Ast;
  readonly signature?: { readonly definition: string };
  // transformation
  readonly pattern?: Ast;
  readonly update?: Ast;
  readonly delete?: Ast;
}

/** Keys that hold what is no node, or refer back to the tree the node belongs to. */
const NO_PARTS = new Set(['value', 'signature', 'slot', 'ancestor', 'seekingParent']);

/** The nodes right in a node, or in whatever else the parser puts them into. */
export const partsOf = (holder: object, parts: Ast[] = []): readonly Ast[] => {
  for (const [key, held] of Object.entries(holder) as [string, unknown][]) {
    if (typeof held !== 'object' || held === null || NO_PARTS.has(key)) continue;
    if ('type' in held && held.type !== 'filter' && held.type !== 'index') parts.push(held as Ast);
    else partsOf(held, parts);
  }
  return parts;
};

/** Visits a node and all its descendants, outermost first. Many ask the same tree: it is taken apart once. */
export const walk = (node: Ast, visit: (node: Ast) => void): void => {
  for (const each of nodesOf(node)) visit(each);
};

const knownNodes = new WeakMap<Ast, readonly Ast[]>();

/** Not recursive, so that no expression is nested too deeply. */
const nodesOf = (root: Ast): readonly Ast[] => {
  const known = knownNodes.get(root);
  if (known !== undefined) return known;
  const nodes: Ast[] = [];
  const waiting: Ast[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes.push(next);
    waiting.push(...partsOf(next).toReversed());
  }
  knownNodes.set(root, nodes);
  return nodes;
};

/** The value of a part that is written out, with nothing behind it. */
export const constantOf = ({ type, value, predicate, group }: Ast): { readonly value: unknown } | undefined =>
  (type === 'string' || type === 'number' || type === 'value') && predicate === undefined && group === undefined
    ? { value }
    : undefined;

/** A part that the parser always writes. */
export const required = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error('The parser left out a part that this compiler relies on');
  return part;
};

interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly position?: number;
  readonly token?: unknown;
  readonly value?: unknown;
}

const isParserError = (thrown: unknown): thrown is ParserError =>
  typeof thrown === 'object' && thrown !== null && typeof (thrown as ParserError).code === 'string';

/** Errors that tell where they are; of the others it is the end of the token. */
const AT_THE_PLACE = /^S0(?:10[1-6]|20[37]|30[12])$/;

const positionOf = (source: string, { code, position, token }: ParserError): number | undefined => {
  if (position === undefined) return undefined;
  if (AT_THE_PLACE.test(code)) return Math.min(position, source.length);
  if (token === undefined) return Math.max(0, position - 1);
  return token === '(end)' ? Math.max(0, position) : startOfToken(source, token, position);
};

const maxSourceLength = 1_000_000;
const maxCopies = 4096;

/**
 * The parser copies the left side of `??` and `?:`, once more for each level of brackets it stands in. Counts on the
 * safe side, strings and comments included, how many copies that can become.
 */
const refuseCopies = (source: string): void => {
  const open: number[] = [1];
  let closed = 1;
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? '';
    if (/\s/.test(character)) continue;
    if (character === '(' || character === '[' || character === '{') {
      open.push(1);
      closed = 1;
    } else if (character === ')' || character === ']' || character === '}') {
      closed = open.length > 1 ? (open.pop() ?? 1) : 1;
      const outer = open.length - 1;
      open[outer] = Math.max(open[outer] ?? 1, closed);
    } else if (character === '?' && (source[index + 1] === '?' || source[index + 1] === ':')) {
      const last = open.length - 1;
      open[last] = Math.max(open[last] ?? 1, closed * 2);
      if ((open[last] ?? 1) > maxCopies) throw new ExpressionFailure('W0006', { position: index });
      index += 1;
      closed = 1;
    }
  }
};

/** Parses JSONata. Errors: `expression_syntax` with the code of JSONata and the place, `W0006` for what is too large. */
export const parse = (source: string): Ast => {
  if (source.length > maxSourceLength) throw new ExpressionFailure('W0006', { position: 0 });
  refuseCopies(source);
  try {
    return jsonata(source).ast() as unknown as Ast;
  } catch (thrown) {
    if (isParserError(thrown)) {
      throw new ExpressionFailure(thrown.code, {
        position: positionOf(source, thrown),
        token: typeof thrown.token === 'string' ? thrown.token : JSON.stringify(thrown.token),
        value: thrown.value,
        message: thrown.message,
      });
    }
    if (thrown instanceof RangeError) throw new ExpressionFailure('W0006', { position: 0, cause: thrown });
    if (thrown instanceof SyntaxError) {
      throw new ExpressionFailure('S0303', { position: 0, message: thrown.message, cause: thrown });
    }
    throw new ExpressionFailure('S0500', { position: 0, cause: thrown });
  }
};

// Places --------------------------------------------------------------------------------------------------------------

const startOfQuoted = (source: string, end: number): number => {
  const quote = source[end - 1];
  for (let start = end - 2; start >= 0; start -= 1) {
    if (source[start] !== quote) continue;
    let backslashes = 0;
    while (source[start - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return start;
  }
  return end - 1;
};

const startOfName = (source: string, name: string, end: number): number =>
  source[end - 1] === '`' ? end - name.length - 2 : end - name.length;

const startOfNumber = (source: string, end: number): number => {
  const digits = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?$/.exec(source.slice(Math.max(0, end - 400), end));
  return end - (digits?.[0].length ?? 1);
};

/** Start of a token, from its value and the offset of its end, which is all that the parser tells. */
export const startOfToken = (source: string, token: unknown, end: number): number => {
  if (typeof token === 'number') return startOfNumber(source, end);
  if (token instanceof RegExp) {
    const flags = token.flags.replace('g', '').length;
    return Math.max(0, end - token.source.length - flags - 2);
  }
  const text = String(token);
  if (source.slice(end - text.length, end) === text && !/["'`]/.test(source[end - 1] ?? '')) {
    const start = end - text.length;
    return source[start - 1] === '$' && /^[^\s\W]/.test(text) ? start - 1 : start;
  }
  const last = source[end - 1];
  if (last === '"' || last === "'") return startOfQuoted(source, end);
  if (last === '`') return startOfName(source, text, end);
  return Math.max(0, end - 1);
};

/** Start of what a syntax node is about: a call's is the function's name, a path's its first step. */
export const startOfNode = (source: string, node: Partial<Ast>): number | undefined => {
  if ((node.type === 'function' || node.type === 'partial') && node.procedure !== undefined) {
    return startOfNode(source, node.procedure) ?? ownStart(source, node);
  }
  if (node.type === 'bind') return startOfNode(source, node.lhs as Partial<Ast>);
  if (node.type === 'path' && node.steps?.[0] !== undefined) return startOfNode(source, node.steps[0]);
  if (node.type === 'variable' && node.position !== undefined) return node.position - String(node.value).length - 1;
  return ownStart(source, node);
};

const ownStart = (source: string, node: Partial<Ast>): number | undefined => {
  if (node.position === undefined) return undefined;
  switch (node.type) {
    case 'string':
      return startOfQuoted(source, node.position);
    case 'condition':
    case 'transform':
    case 'sort':
    case 'block':
    case 'lambda':
    case 'filter':
      return node.position - 1;
    default:
      return startOfToken(source, node.value, node.position);
  }
};

/** Where the text of an expression begins: of an operator with its left side, of a condition with its test. */
export const startOfText = (source: string, node: Partial<Ast>): number => {
  const { lhs, condition } = node;
  if (condition !== undefined) return startOfText(source, condition);
  const isOperator = typeof lhs === 'object' && lhs !== null && !Array.isArray(lhs);
  return isOperator ? startOfText(source, lhs) : (startOfNode(source, node) ?? 0);
};

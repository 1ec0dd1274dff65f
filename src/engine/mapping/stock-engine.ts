import jsonata from 'jsonata';
import { isMap } from '../value.ts';
import { ExpressionFailure } from '../jsonata/failure.ts';
import { GuardedRegex, UNCOUNTED } from '../jsonata/regex.ts';
import { type Ast, startOfNode, walk } from '../jsonata/parse.ts';
import type { Engine } from './engine.ts';
import type { MappingFunction } from './functions/function.ts';
import { LIBRARY } from './functions/library.ts';
import type { EvaluationContext } from './mapping.ts';

/** Nested evaluations (it counts siblings that it evaluates side by side as nested), milliseconds, items in one sequence. */
const LIMITS = { stack: 10_000, timeout: 2_000, sequence: 1_000_000 } as const;

/** Regular expressions as the interpreter knows them, on our engine: its timeout would not end one. */
class RegexEngine {
  lastIndex = 0;
  readonly #regex: GuardedRegex;

  constructor({ source, flags }: RegExp) {
    this.#regex = new GuardedRegex(source, flags);
  }

  exec(text: string): unknown {
    const found = this.#regex.exec(UNCOUNTED, text, this.lastIndex);
    this.lastIndex = found?.end ?? 0;
    return found === undefined ? null : Object.assign([found.match, ...found.groups], { index: found.start });
  }
}

/**
 * The interpreter of the jsonata package: slow, but the judge of the others. It changes its input in places, so it
 * works on a copy; and its arrays carry marks of their own, so what it yields is copied too.
 */
export const stockEngine: Engine = {
  compile({ source: { text: source }, tree, functions, variables }) {
    const expression = jsonata(source, {
      ...LIMITS,
      // Of a constructor it asks no more than this.
      RegexEngine: RegexEngine as unknown as RegExpConstructor,
    });
    makeLazy(expression.ast() as unknown as Ast);
    return async (roots, context) => {
      const copies = new Map<unknown, unknown>();
      const input = copyOf(roots, copies) as Record<string, unknown>;
      const bindings: Record<string, unknown> = {};
      for (const name of variables) {
        if (name === 'now' || Object.hasOwn(input, name)) bindings[name] = input[name];
      }
      for (const each of functions) bindings[each.name] = bound(each, context);
      try {
        const result: unknown = await expression.evaluate(input, bindings);
        return plain(result);
      } catch (thrown) {
        throw asFailure(thrown, source, tree);
      }
    };
  },
};

/** Arguments that a function evaluates itself become functions; `x ~> $f(y)` becomes the call that it is. */
function makeLazy(tree: Ast): void {
  walk(tree, (node) => {
    const call = node.type === 'apply' && node.rhs?.type === 'function' ? node.rhs : node;
    if (call.type !== 'function' || LIBRARY.get(String(call.procedure?.value))?.isLazy !== true) return;
    const args = [...(call === node ? [] : [node.lhs as Ast]), ...(call.arguments ?? [])];
    const lazy = args.map((body) => ({ type: 'lambda', arguments: [], body, position: body.position }));
    Object.assign(node, { ...call, arguments: lazy });
  });
}

/**
 * A library function as the interpreter calls it: with the values alone. Of a higher-order call it takes the element
 * only, not its index or the whole list. The parameters of a partial application are read from the text of the
 * function, so that is given too.
 */
function bound(declared: MappingFunction, context: EvaluationContext): unknown {
  const call = (...args: readonly unknown[]): unknown =>
    declared.call(context, declared.isLazy === true ? args.map(callable) : args);
  const parameters = declared.usage
    .slice(declared.name.length + 1)
    .replaceAll('?', '')
    .replace(/(\w+)…/, (_all, name: string) => Array.from({ length: 9 }, (_, at) => `${name}${at}`).join(', '));
  return Object.assign(call, { arity: 1, toString: () => parameters });
}

/** A function that ends another one comes as the interpreter has it. */
const callable = (argument: unknown): unknown =>
  isMap(argument) && Object.hasOwn(argument, '_jsonata_lambda')
    ? (): unknown => (argument['apply'] as (self: undefined, args: readonly unknown[]) => unknown)(undefined, [])
    : argument;

/** Maps and lists anew, each once; whatever else there is (bytes, functions) as it is. */
function copyOf(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (!Array.isArray(value) && !isMap(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const element of value as readonly unknown[]) list.push(copyOf(element, copies));
    return list;
  }
  const map: Record<string, unknown> = {};
  copies.set(value, map);
  for (const key of Object.keys(value)) map[key] = copyOf(value[key], copies);
  return map;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  if (Object.hasOwn(value, '_jsonata_lambda') || Object.hasOwn(value, '_jsonata_function')) return () => undefined;
  const map: Record<string, unknown> = {};
  for (const key of Object.keys(value)) map[key] = plain(value[key]);
  return map;
}

interface StockError {
  readonly code: string;
  readonly message?: string;
  readonly position?: number;
  readonly token?: unknown;
  readonly value?: unknown;
}

/** Codes whose message an author wrote, in `$error` and `$assert`. */
const AUTHORED = new Set(['D3137', 'D3141']);

function asFailure(thrown: unknown, source: string, tree: Ast): unknown {
  // Its positions are the ends of tokens.
  if (thrown instanceof ExpressionFailure) {
    return new ExpressionFailure(thrown.jsonataCode, {
      message: thrown.message,
      token: thrown.token,
      position: startOf(thrown.position, source, tree),
      cause: thrown.cause,
    });
  }
  if (thrown instanceof RangeError) return new ExpressionFailure('D1011', { position: 0, cause: thrown });
  if (!isStockError(thrown)) return thrown;
  return new ExpressionFailure(thrown.code, {
    message: AUTHORED.has(thrown.code) ? thrown.message : undefined,
    token: typeof thrown.token === 'string' ? thrown.token : undefined,
    position: startOf(thrown.position, source, tree),
    value: thrown.value,
  });
}

const isStockError = (thrown: unknown): thrown is StockError =>
  typeof thrown === 'object' && thrown !== null && /^[STD]\d{4}$/.test((thrown as StockError).code);

function startOf(end: number | undefined, source: string, tree: Ast): number | undefined {
  if (end === undefined) return undefined;
  let start: number | undefined;
  walk(tree, (node) => {
    if (node.position === end) start ??= startOfNode(source, node);
  });
  return start ?? Math.max(0, end - 1);
}

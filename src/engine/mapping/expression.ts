import { isInnerTextKey } from '../codecs/inner-text.ts';
import { Failure } from '../failure.ts';
import { ExpressionFailure } from '../jsonata/failure.ts';
import { standardNames } from '../jsonata/functions/library.ts';
import { type Ast, type Group, parse, startOfNode, walk } from '../jsonata/parse.ts';
import { remembering } from '../remembered.ts';
import { chosenEngine } from './chosen-engine.ts';
import type { Engine, ParsedExpression } from './engine.ts';
import type { MappingFunction } from './functions/function.ts';
import { LIBRARY } from './functions/library.ts';
import { DrawNeeded, EvaluationFailure, type Mapping, Rejection } from './mapping.ts';
import { findRefusedValue, traceOf } from './refused-value.ts';
import type { SourceText } from './source-text.ts';

/**
 * Compiles bare JSONata: an expression, a block scalar, a whole `.jsonata` file. Roots are fields of the input
 * document and variables at once. Throws `mapping_syntax` with the place of the token.
 */
export function compileExpression(
  source: SourceText,
  engine: Engine = chosenEngine(),
  tree: Ast = parseExpression(source),
): Mapping {
  refuseImpure(source, tree);
  refuseInnerTexts(source, tree);
  const parsed = { source, tree, ...namedIn(tree) };
  const evaluate = placing(source, 'mapping_syntax', () => engine.compile(parsed));
  return {
    place: source.placeAt(0),
    text: source.text,
    constant: false,
    evaluate(roots, context) {
      const failed = (thrown: unknown): never => {
        if (thrown instanceof Rejection) thrown.reads = () => traceOf(parsed, roots, context)?.ended?.reads ?? [];
        throw placed(thrown, source, 'mapping_failed', () => findRefusedValue(parsed, roots, context));
      };
      let value: unknown;
      try {
        value = evaluate(roots, context);
      } catch (thrown) {
        failed(thrown);
      }
      return value instanceof Promise
        ? value.then((result) => checked(result, source), failed)
        : checked(value, source);
    },
    trace: (roots, context) => traceOf(parsed, roots, context),
  };
}

/** Parses an expression without compiling it. Throws `mapping_syntax` with the place of the token. */
export const parseExpression = (source: SourceText): Ast =>
  placing(source, 'mapping_syntax', () => parseOnce(source.text));

const parseOnce = remembering(parse);

/** Functions that would give another value when a run is repeated, or run text as code, and what to write instead. */
const REFUSED: Readonly<Record<string, string>> = {
  now: 'write now (or $now, without brackets): it is the same in a repeat',
  millis: "write $formatTime(now, 'epochMs'): it is the same in a repeat",
  random: 'a repeated dispatch would send another value; $uuid and $sequence give one that stays',
  shuffle: 'a repeated dispatch would send another order',
  eval: 'a text from outside must not run as an expression; $json reads JSON inside a text',
};

function refuseImpure(source: SourceText, tree: Ast): void {
  walk(tree, (node) => {
    const named = node.type === 'function' || node.type === 'partial' ? node.procedure : node;
    const name = named?.type === 'variable' ? String(named.value) : '';
    // `$now` alone is the root.
    if (!Object.hasOwn(REFUSED, name) || (name === 'now' && named === node)) return;
    throw new Failure(`$${name} is refused in mappings`, {
      code: 'mapping_syntax',
      place: source.placeAt(startOfNode(source.text, node) ?? 0),
      help: REFUSED[name],
    });
  });
}

/** In an expression, a key may come from data: there, functions write text inside text. */
function refuseInnerTexts(source: SourceText, tree: Ast): void {
  walk(tree, (node) => {
    const pairs = node.type === 'unary' && node.value === '{' ? (node.lhs as Group['lhs']) : (node.group?.lhs ?? []);
    const key = pairs.map(([name]) => name).find((name) => name.type === 'string' && isInnerTextKey(name.value));
    if (key === undefined) return;
    throw new Failure(`"${String(key.value)}" stands for text inside text only in a tree of the profile`, {
      code: 'mapping_syntax',
      place: source.placeAt(startOfNode(source.text, key) ?? 0),
      help: `in an expression write ${key.value === '#xml' ? '$toXml' : '$string'}(…)`,
    });
  });
}

/** What an expression names with a `$`. */
function namedIn(tree: Ast): Pick<ParsedExpression, 'functions' | 'variables'> {
  const functions = new Set<MappingFunction>();
  const variables = new Set<string>();
  walk(tree, (node) => {
    if (node.type !== 'variable') return;
    const name = String(node.value);
    const known = LIBRARY.get(name);
    if (known !== undefined) functions.add(known);
    // `$now` is a variable even without a value, never JSONata's own function.
    else if (name === 'now' || !standardNames.has(name)) variables.add(name);
  });
  return { functions: [...functions], variables };
}

function checked(value: unknown, source: SourceText): unknown {
  if (typeof value !== 'function') return value;
  throw new Failure('the expression yields a function, not a value', {
    code: 'mapping_failed',
    place: source.placeAt(0),
    help: 'a function is called with brackets: $name(…)',
  });
}

type Code = 'mapping_syntax' | 'mapping_failed';

function placing<T>(source: SourceText, code: Code, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw placed(thrown, source, code);
  }
}

function placed(thrown: unknown, source: SourceText, code: Code, refused?: EvaluationFailure['refused']): unknown {
  if (thrown instanceof DrawNeeded || thrown instanceof Rejection) return thrown;
  if (thrown instanceof ExpressionFailure) {
    const place = source.placeAt(thrown.position ?? 0);
    const cause = thrown.cause instanceof Failure ? thrown.cause : undefined;
    return new EvaluationFailure(messageOf(thrown), { code, place, cause }, refused);
  }
  if (thrown instanceof Failure) return new Failure(thrown.message, { code, place: source.placeAt(0), cause: thrown });
  // The message may contain a value, so it is not repeated.
  return new Failure('the evaluation broke off inside the engine', { code, place: source.placeAt(0), cause: thrown });
}

function messageOf({ message, token, jsonataCode }: ExpressionFailure): string {
  // Codes with F come from our functions, whose messages name them; codes with W are our own limits.
  if (jsonataCode.startsWith('F')) return message;
  // The parser's messages name the token themselves.
  const about = token === undefined || jsonataCode.startsWith('S') ? '' : `: ${token}`;
  return `${message}${about}${jsonataCode.startsWith('W') ? '' : ` (JSONata ${jsonataCode})`}`;
}

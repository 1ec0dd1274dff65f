import jsonata from 'jsonata';
import { ExpressionFailure } from './failure.ts';
import { startOfToken } from './position.ts';

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

const positionOf = (source: string, error: ParserError): number | undefined => {
  if (error.position === undefined) return undefined;
  switch (error.code) {
    case 'S0101':
    case 'S0105':
    case 'S0302':
    case 'S0203':
    case 'S0207':
      return Math.min(error.position, source.length);
    case 'S0102':
    case 'S0103':
    case 'S0104':
    case 'S0106':
    case 'S0301':
      return error.position;
    default:
      return error.token === undefined || error.token === '(end)'
        ? Math.max(0, error.position - (error.token === undefined ? 1 : 0))
        : startOfToken(source, error.token, error.position);
  }
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

import { Failure } from '../failure.ts';

/** What is known about an error besides its code. Offsets count UTF-16 units from the start of the source. */
export interface ErrorDetail {
  /** Offset of the first character of the token that failed. */
  readonly position?: number | undefined;
  readonly token?: string | undefined;
  readonly value?: unknown;
  /** Replaces the text that belongs to the code. */
  readonly message?: string | undefined;
  /** Which argument of a call cannot be taken, from 0, and what is wrong with it, without the call. */
  readonly argument?: number | undefined;
  readonly said?: string | undefined;
  readonly cause?: unknown;
}

/** Codes of our own, for what JSONata does not know: the limits and what is switched off. */
const ownTexts: Readonly<Record<string, string>> = {
  W0001: 'The evaluation took more steps than it may',
  W0002: 'A text grew longer than it may',
  W0003: 'The evaluation built more than it may hold in memory',
  W0004: 'The regular expression could take too long on this text',
  W0005: '$eval is switched off',
  W0006: 'The expression is nested or written too long',
};

/** For syntax errors the parser has its own. */
const texts: Readonly<Record<string, string>> = {
  ...ownTexts,
  S0500: 'The expression has syntax errors',
  D1001: 'A number out of range',
  D1002: 'Only a number can be negated',
  D1004: 'The regular expression matches the empty text again and again',
  D1009: 'Two keys of the object come out the same',
  D1011: 'The functions call each other too deeply',
  D1012: 'The evaluation took too long',
  D1013: 'This key is reserved',
  D2014: 'The range is too large',
  D2015: 'The sequence is longer than it may be',
  D3001: 'Infinity and NaN have no text',
  D3010: 'The text to replace is empty',
  D3011: 'The limit of $replace is negative',
  D3012: 'The replacement is not a text',
  D3020: 'The limit of $split is negative',
  D3030: 'This is not a number',
  D3040: 'The limit of $match is negative',
  D3050: '$reduce needs a function of two or more arguments',
  D3060: 'A negative number has no square root',
  D3061: 'The power is out of range',
  D3070: '$sort without a function takes only texts, or only numbers',
  D3080: 'A number picture has at most two parts',
  D3081: 'More than one decimal separator in the number picture',
  D3082: 'More than one percent sign in the number picture',
  D3083: 'More than one per-mille sign in the number picture',
  D3084: 'Percent and per-mille in the same number picture',
  D3085: 'No digit in the number picture',
  D3086: 'A passive character among the digits of the number picture',
  D3087: 'A grouping separator beside the decimal separator',
  D3088: 'A grouping separator at the end of the integer part',
  D3089: 'Two grouping separators side by side',
  D3090: 'An optional digit after a mandatory one in the integer part',
  D3091: 'A mandatory digit after an optional one in the fraction',
  D3092: 'Percent or per-mille together with an exponent',
  D3093: 'The exponent of the number picture is not made of digits',
  D3100: 'The radix must lie between 2 and 36',
  D3110: 'This is not an ISO 8601 time',
  D3130: 'This numbering sequence is not supported',
  D3131: 'Digits of different scripts in one picture',
  D3132: 'Unknown component in the date picture',
  D3133: 'This component of the date picture has no name',
  D3134: 'More than four digits for the time zone',
  D3135: 'A [ of the date picture is not closed',
  D3136: 'The date picture leaves a gap between the parts of the time',
  D3137: '$error was called',
  D3138: '$single found more than one match',
  D3139: '$single found no match',
  D3140: 'This text is not a well-formed URL',
  D3141: '$assert failed',
  T0410: 'An argument does not fit the signature of the function',
  T0411: 'The context does not fit the signature of the function',
  T0412: 'An array argument holds items of the wrong type',
  T1003: 'The key of an object must be a text',
  T1005: 'This is not a function; did you forget its $?',
  T1006: 'This is not a function',
  T1007: 'This is not a function that could be partially applied; did you forget its $?',
  T1008: 'This is not a function that could be partially applied',
  T1010: 'The matching function does not return a match',
  T2001: 'The left side of the operator must be a number',
  T2002: 'The right side of the operator must be a number',
  T2003: 'The left side of the range must be an integer',
  T2004: 'The right side of the range must be an integer',
  T2006: 'The right side of ~> must be a function',
  T2007: 'Numbers and texts cannot be ordered together',
  T2008: 'Only numbers and texts can be ordered',
  T2009: 'Both sides of the comparison must have the same type',
  T2010: 'Only numbers and texts can be compared',
  T2011: 'The update of a transformation must be an object',
  T2012: 'The deletions of a transformation must be texts',
  T2013: '$clone was replaced by something that is no function',
};

/** What JSONata's own functions cannot take is their first argument, where the signature does not say otherwise. */
const ABOUT_THE_FIRST = new Set(['D3030', 'D3060', 'D3061', 'D3070', 'D3110', 'D3138', 'D3139', 'D3140']);

const argumentOf = (code: string, value: unknown): number | undefined => {
  if (code === 'T0410' || code === 'T0412') return typeof value === 'number' ? value - 1 : undefined;
  return ABOUT_THE_FIRST.has(code) ? 0 : undefined;
};

const limits = new Set(['D1011', 'D1012', 'D2014', 'D2015', ...Object.keys(ownTexts)]);

const stableCode = (code: string): string => {
  if (limits.has(code)) return 'expression_limit';
  return code.startsWith('S') ? 'expression_syntax' : 'expression_failed';
};

/**
 * An expression that does not parse or cannot be evaluated. `jsonataCode` is JSONata's own code (`T2001`), or one of
 * ours beginning with W; `position` is the offset of the token's start.
 */
export class ExpressionFailure extends Failure {
  readonly jsonataCode: string;
  readonly value: unknown;
  readonly argument: number | undefined;
  readonly said: string | undefined;
  position: number | undefined;
  token: string | undefined;

  constructor(jsonataCode: string, detail: ErrorDetail = {}) {
    super(detail.message ?? texts[jsonataCode] ?? `JSONata error ${jsonataCode}`, {
      code: stableCode(jsonataCode),
      cause: detail.cause,
    });
    this.jsonataCode = jsonataCode;
    this.value = detail.value;
    this.said = detail.said;
    this.argument = detail.argument ?? argumentOf(jsonataCode, detail.value);
    this.position = detail.position;
    this.token = detail.token;
  }
}

/** What an expression may go on from: a value that cannot be used. Not a limit, a missing function or a syntax error. */
export const isRecoverable = (thrown: unknown): boolean => {
  // The interpreter throws plain objects.
  const code = thrown instanceof ExpressionFailure ? thrown.jsonataCode : thrown instanceof Error ? '' : codeIn(thrown);
  return /^(?:[DF]|T[02])\d+$/.test(code) && !limits.has(code);
};
const codeIn = (thrown: unknown): string => String((thrown as { readonly code?: unknown } | undefined)?.code);

/** With no stack left even a regular expression cannot be compiled, so that this must not use one. */
const isStackOverflow = (thrown: unknown): boolean =>
  (thrown instanceof RangeError && thrown.message.includes('call stack')) ||
  (thrown instanceof SyntaxError && thrown.message.endsWith('Stack overflow'));

/** Gives an error the place it lacks and returns it; what is not ours (a custom function's) passes unchanged. */
export const locate = (thrown: unknown, position: number | undefined, token?: string): unknown => {
  const error = isStackOverflow(thrown) ? new ExpressionFailure('D1011', { cause: thrown }) : thrown;
  if (!(error instanceof ExpressionFailure)) return error;
  if (position !== undefined && error.position === undefined) {
    error.position = position;
    error.token ??= token;
  }
  return error;
};

import { ExpressionFailure } from './failure.ts';
import type { Run } from './run.ts';
import { Wrapped, isNumber } from './value.ts';

const numberText = (value: number): string => {
  if (!isNumber(value)) return 'null';
  const text = String(value);
  // A text of 16 characters has 15 digits at most beside its point: a number of so many is what it is written as.
  if (text.length <= 16 || Number.isInteger(value)) return text;
  return String(Number(value.toPrecision(15)));
};

const maxDepth = 1000;

/** Writes one value as JSON; undefined for what JSON leaves out. */
const write = (run: Run, value: unknown, indent: string, pad: string, depth: number): string | undefined => {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'function':
      return '""';
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return 'null';
  if (depth > maxDepth) throw new ExpressionFailure('W0006');
  run.tick();
  if (value instanceof Date) return JSON.stringify(value);
  const inner = pad + indent;
  const parts: string[] = [];
  let size = 2;
  const add = (part: string): void => {
    size += part.length + 1 + inner.length;
    run.charge(part.length + 1);
    parts.push(part);
  };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      add(write(run, value[index], indent, inner, depth + 1) ?? 'null');
    }
    if (size > run.limits.text) throw new ExpressionFailure('W0002', { value: run.limits.text });
    return bracket('[', parts, ']', indent === '' ? undefined : inner, pad);
  }
  for (const key of Object.keys(value)) {
    const text = write(run, (value as Record<string, unknown>)[key], indent, inner, depth + 1);
    if (text !== undefined) add(`${JSON.stringify(key)}${indent === '' ? ':' : ': '}${text}`);
  }
  if (size > run.limits.text) throw new ExpressionFailure('W0002', { value: run.limits.text });
  return bracket('{', parts, '}', indent === '' ? undefined : inner, pad);
};

const bracket = (
  open: string,
  parts: readonly string[],
  close: string,
  inner: string | undefined,
  pad: string,
): string => {
  if (inner === undefined || parts.length === 0) return open + parts.join(',') + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${pad}${close}`;
};

/** `$string`: a text stays, a function is empty, all else is JSON with numbers cut to 15 digits. */
export const toText = (run: Run, value: unknown, pretty = false): string | undefined => {
  if (typeof value === 'string') return value;
  if (value === undefined) return undefined;
  if (typeof value === 'function') return '';
  if (typeof value === 'number' && !Number.isFinite(value)) throw new ExpressionFailure('D3001', { value });
  const whole = value instanceof Wrapped ? value[0] : value;
  const text = write(run, whole, pretty ? '  ' : '', '', 0) ?? '';
  run.chargeText(text.length);
  return text;
};

/** One side of `&`. */
export const concatText = (run: Run, value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return toText(run, value) ?? '';
};

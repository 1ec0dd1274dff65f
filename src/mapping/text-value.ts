/** The text of a value: itself, a number as JSONata writes it, true or false. Undefined: a text has no form for it. */
export function textOfValue(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      // 15 digits, as $string does: 0.1 + 0.2 is 0.3.
      return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : undefined;
    default:
      return undefined;
  }
}

export const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;

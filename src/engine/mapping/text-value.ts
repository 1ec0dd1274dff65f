/** The text of a value: itself, a number as JSONata writes it, true or false. Undefined: a text has no form for it. */
export function textOfValue(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? textOfNumber(value) : undefined;
    default:
      return undefined;
  }
}

/** With 15 digits, as $string does: 0.1 + 0.2 is 0.3. */
function textOfNumber(value: number): string {
  const text = String(value);
  return text.length <= 15 ? text : String(Number(value.toPrecision(15)));
}

export const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;

const escaped = (character: string): string =>
  character === '\n' ? String.raw`\n` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text that commands no terminal: control characters, except line ends and tabs, are escaped as in JSON. */
export const plainText = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, escaped);

/** The same on one line, for text that somebody else wrote: it cannot begin a line of ours. */
export const plainLine = (text: string): string => text.replaceAll(/[^\P{Cc}\t]/gu, escaped);

/** Whether nothing can be read in it. */
export const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

/** The text of a scalar: a string itself, a number as JSONata writes it, true or false. Undefined for anything else. */
export function textOfScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const text = String(value);
  // With 15 digits, as $string does: 0.1 + 0.2 is 0.3.
  return text.length <= 15 ? text : String(Number(value.toPrecision(15)));
}

/** As a part of a regular expression that matches this text alone. */
export const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

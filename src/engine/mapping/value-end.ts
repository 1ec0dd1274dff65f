const OPENS = '([{';
const CLOSES = ')]}';
const ENDS = ',;:';

/**
 * Where the value that begins at `start` ends: before the comma, colon, semicolon or bracket that is none of its own,
 * without the blanks and comments in front of that. Undefined where that cannot be told without parsing.
 */
export function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let end = start;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (/\s/.test(character)) continue;
    if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at + 2) + 1;
      if (at === 0) return undefined;
      continue;
    }
    // A regular expression, or a division: only the parser knows.
    if (character === '/' || character === '?') return undefined;
    if (depth === 0 && (ENDS.includes(character) || CLOSES.includes(character))) return end;
    if (OPENS.includes(character)) depth += 1;
    else if (CLOSES.includes(character)) depth -= 1;
    else if (character === '"' || character === "'" || character === '`') {
      at = endOfQuoted(text, at);
      if (at === -1) return undefined;
    }
    end = at + 1;
  }
  return depth === 0 ? end : undefined;
}

function endOfQuoted(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote !== '`' && text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

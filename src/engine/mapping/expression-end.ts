/** One token of JSONata, as far as finding an end needs to tell them apart. A `/` may begin a regular expression. */
const TOKEN =
  /\s+|\/\*[^]*?\*\/|"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|`[^`]*`|\*\*|\/(?!\*)|[.[\]{}(),@#;:?+\-*%|=<>^!&~]|[^\s.[\]{}(),@#;:?+\-*/%|=<>^!&~"'`][^\s.[\]{}(),@#;:?+\-*/%|=<>^!&~]*/y;
const BLANK_OR_COMMENT = /^(?:\s|\/\*)/;

/** Undefined at the end of the text, and where a text, name or comment is not closed. */
function tokenAt(text: string, at: number): string | undefined {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0];
}

/**
 * Where the expression that begins at `start` meets the `}` that nothing in it opened: the offset of that `}`, or
 * undefined when there is none. Texts, names in backquotes, comments and regular expressions are skipped whole.
 */
export function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0;
  // A `/` begins a regular expression only where a value may stand.
  let valueMayStand = true;
  let at = start;
  for (let token = tokenAt(text, at); token !== undefined; token = tokenAt(text, at)) {
    if (token === '}' && depth === 0) return at;
    at = token === '/' && valueMayStand ? endOfRegex(text, at + 1) : at + token.length;
    if (BLANK_OR_COMMENT.test(token)) continue;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    valueMayStand = isBeforeValue(token, valueMayStand);
  }
  return undefined;
}

function isBeforeValue(token: string, valueMayStand: boolean): boolean {
  // Where a value may stand, wildcards, the parent and the placeholder of a partial application are values themselves.
  if (valueMayStand) return /^[.[{(,@#;:+\-|=<>^!&~]$/.test(token);
  return /^(?:[.[{(,@#;:?+\-*/%|=<>^!&~]|and|or|in)$/.test(token);
}

/** As JSONata reads them: a `/` inside brackets, or escaped, does not end the expression. */
function endOfRegex(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '/' && depth === 0) return at + 1;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return text.length;
}

/**
 * Where the value that begins at `start` ends: before the comma, colon, semicolon or bracket that is none of its own,
 * without the blanks and comments in front of that. Undefined where that cannot be told without parsing.
 */
export function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let end = start;
  let at = start;
  for (let token = tokenAt(text, at); token !== undefined; token = tokenAt(text, at)) {
    at += token.length;
    if (BLANK_OR_COMMENT.test(token)) continue;
    // A regular expression, or a division: only the parser knows.
    if (token === '/' || token === '?') return undefined;
    if (depth === 0 && ',;:)]}'.includes(token)) return end;
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    end = at;
  }
  return depth === 0 && at === text.length ? end : undefined;
}

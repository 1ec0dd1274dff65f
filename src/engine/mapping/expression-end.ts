const OPERATORS = new Set('.[]{}(),@#;:?+-*/%|=<>^!&~');
const BLANK = /\s/;

/**
 * Where the expression that begins at `start` meets the `}` that nothing in it opened: the offset of that `}`, or
 * undefined when there is none. Texts, names in backquotes, comments and regular expressions are skipped whole.
 */
export function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0;
  // A `/` begins a regular expression only where a value may stand.
  let valueMayStand = true;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (BLANK.test(character)) {
      at += 1;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) return undefined;
      at = end + 2;
    } else if (character === '/' && valueMayStand) {
      at = endOfRegex(text, at + 1);
      valueMayStand = false;
    } else if (character === '"' || character === "'") {
      at = endOfString(text, at);
      valueMayStand = false;
    } else if (character === '`') {
      const end = text.indexOf('`', at + 1);
      if (end === -1) return undefined;
      at = end + 1;
      valueMayStand = false;
    } else if (character === '{') {
      depth += 1;
      at += 1;
      valueMayStand = true;
    } else if (character === '}') {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
      valueMayStand = false;
    } else if (OPERATORS.has(character)) {
      // Where a value may stand, these are values: wildcard, parent, the placeholder of a partial application.
      const isValue: boolean = valueMayStand && (character === '*' || character === '%' || character === '?');
      at += isValue && text.startsWith('**', at) ? 2 : 1;
      valueMayStand = !isValue && character !== ')' && character !== ']';
    } else {
      const end = endOfWord(text, at);
      const word = text.slice(at, end);
      valueMayStand = !valueMayStand && (word === 'and' || word === 'or' || word === 'in');
      at = end;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === quote) return at + 1;
  }
  return text.length;
}

/** As JSONata reads them: a `/` inside brackets, or escaped, does not end the expression. */
function endOfRegex(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '/' && depth === 0) return at + 1;
    else if (character === '(' || character === '[' || character === '{') depth += 1;
    else if (character === ')' || character === ']' || character === '}') depth -= 1;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !BLANK.test(text.charAt(at)) && !OPERATORS.has(text.charAt(at))) at += 1;
  return at;
}

const escaped = (character: string): string =>
  character === '\n' ? String.raw`\n` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text that commands no terminal: control characters, but line ends and tabs, are written out as JSON writes them. */
export const plainText = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, escaped);

/** The same in one line, for what somebody else wrote: it begins none of ours. */
export const plainLine = (text: string): string => text.replaceAll(/[^\P{Cc}\t]/gu, escaped);

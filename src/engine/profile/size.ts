/** `500KB 20MB` → bytes, or undefined when the text is not a size. */
export const parseSize = (text: string): number | undefined => {
  const match = /^(\d{1,6})(KB|MB)$/.exec(text.trim());
  if (match === null || Number(match[1]) === 0) return undefined;
  return Number(match[1]) * (match[2] === 'MB' ? 1_000_000 : 1_000);
};

import { formatPlace } from '../engine/failure.ts';
import type { Finding } from '../engine/profile/finding.ts';

/** The finding, the line it stands in, and a caret under it. */
export const showFinding = (finding: Finding): string => {
  const { place, severity, rule, message, help, excerpt } = finding;
  const lines = [`${formatPlace(place)} ${severity} ${rule}`, `  ${message}`];
  if (excerpt !== undefined) {
    const number = String(place.line);
    lines.push(`  ${number} | ${excerpt}`);
    if (place.column <= excerpt.length + 1) {
      // Tabs stay tabs, so that the caret stands right whatever their width.
      const lead = excerpt.slice(0, place.column - 1).replaceAll(/[^\t]/g, ' ');
      lines.push(`  ${' '.repeat(number.length)} | ${lead}^`);
    }
  }
  if (help !== undefined) lines.push(`  help: ${help}`);
  return `${lines.join('\n')}\n`;
};

/** As `--json` has it: the place flat. */
export const jsonFinding = ({ place, rule, severity, message, help, excerpt }: Finding): Record<string, unknown> => ({
  rule,
  severity,
  file: place.file,
  line: place.line,
  column: place.column,
  message,
  ...(help === undefined ? {} : { help }),
  ...(excerpt === undefined ? {} : { excerpt }),
});

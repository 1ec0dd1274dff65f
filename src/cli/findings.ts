/** Findings as people and other tools read them. */
import { pathToFileURL } from 'node:url';
import { formatPlace, withHelp } from '../engine/failure.ts';
import type { Finding } from '../engine/profile/finding.ts';
import { RULES } from '../engine/profile/rules.ts';

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

/** What is still to be confirmed, of each file in one block: a new carrier has dozens. */
export const showUnconfirmed = (findings: readonly Finding[]): string =>
  [...Map.groupBy(findings, ({ place }) => place.file)]
    .map(([file, found]) => {
      const reasons = [...Map.groupBy(found, ({ message }) => message.replace(/^not confirmed yet: /, ''))];
      const lines = reasons.map(([why, of]) => `  ${of.map(({ place }) => place.line).join(', ')}: ${why}\n`);
      const [first] = found;
      return `${file} ${first?.severity} unconfirmed, ${found.length} in lines\n${lines.join('')}  help: ${first?.help}\n`;
    })
    .join('\n');

/** As `--json` has it: the place flat. */
export const jsonFinding = ({ place, rule, severity, message, help, excerpt }: Finding): Record<string, unknown> => ({
  rule,
  severity,
  ...place,
  message,
  ...(help === undefined ? {} : { help }),
  ...(excerpt === undefined ? {} : { excerpt }),
});

/** SARIF 2.1.0, as code scanning takes it. `home` is the folder that the paths of files begin at. */
export const sarifOf = (findings: readonly Finding[], version: string, home: string): unknown => {
  const named = [...new Set(findings.map(({ rule }) => rule))].toSorted();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'waybill',
            version,
            rules: named.map((id) => ({ id, shortDescription: { text: RULES[id].description.replaceAll('`', '') } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { HOME: { uri: `${pathToFileURL(home).href}/` } },
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: named.indexOf(finding.rule),
          level: finding.severity,
          message: { text: withHelp(finding) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(finding.place.file), uriBaseId: 'HOME' },
                region: { startLine: finding.place.line, startColumn: finding.place.column },
              },
            },
          ],
        })),
      },
    ],
  };
};

/** Workflow commands, which GitHub shows beside the lines of a change. */
export const githubOf = (findings: readonly Finding[]): string =>
  findings
    .map((finding) => {
      const { file, line, column } = finding.place;
      const at = `file=${inProperty(file)},line=${line},col=${column},title=${inProperty(finding.rule)}`;
      return `::${finding.severity} ${at}::${inData(withHelp(finding))}\n`;
    })
    .join('');

const inData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const inProperty = (text: string): string => inData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Findings as other tools read them. */
import { pathToFileURL } from 'node:url';
import type { Finding } from '../engine/profile/finding.ts';
import { RULES } from '../engine/profile/rules.ts';

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
          message: { text: sentenceOf(finding) },
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
      return `::${finding.severity} ${at}::${inData(sentenceOf(finding))}\n`;
    })
    .join('');

const sentenceOf = ({ message, help }: Finding): string => (help === undefined ? message : `${message} (${help})`);

const inData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const inProperty = (text: string): string => inData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

import { once } from '../../value.ts';
import type { JsonSchema } from '../../mapping/types/schema-type.ts';
import type { OperationName } from '../carrier.ts';
import type { Homes } from '../chain.ts';
import type { Findings } from '../finding.ts';

/** What is known of a carrier beside its profile and its mappings. */
export interface Evidence {
  /** Bodies that the answers of an operation have in the carrier's cases; without a name those of all operations. */
  answers(operation: OperationName | undefined): readonly unknown[];
  /** Bodies of the requests that its webhook gets in its cases. */
  pushes(): readonly unknown[];
  /** The carrier's own schema of a body: `create.request`, `create.booking.response`, `webhook.request`. */
  schema(name: string): JsonSchema | undefined;
}

/** The schemas of a carrier, `schemas/<carrier>/<name>.json` in its home; its cases are not looked at. */
export const schemasOnly = (code: string, { home }: Homes, findings: Findings): Evidence => ({
  answers: () => [],
  pushes: () => [],
  schema: once((name) => {
    const file = `schemas/${code}/${name}.json`;
    const text = home.read(file);
    return text === undefined ? undefined : parseSchema(file, text, findings);
  }),
});

const parseSchema = (file: string, text: string, findings: Findings): JsonSchema | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    findings.report('wrong-schema', { file, line: 1, column: 1 }, 'a JSON Schema is an object');
  } catch {
    findings.report('wrong-schema', { file, line: 1, column: 1 }, 'this is not JSON');
  }
  return undefined;
};

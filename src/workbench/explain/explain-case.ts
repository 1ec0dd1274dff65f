/** Explains a case: it is run on an engine that watches, and what was evaluated is put beside what was sent. */
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { CaseFile } from '../cases/read.ts';
import { playCase } from '../cases/run.ts';
import { oneByOne } from '../engine-run.ts';
import { type Explanation, explainExchange, explainResults } from './explain-exchange.ts';

/** `carrier` was compiled with an engine that adds to `evaluations`. */
export const explainCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  evaluations: readonly Evaluation[],
): Promise<Explanation> => {
  /** How many evaluations there had been when each request left. */
  const sentAt: number[] = [];
  const onSend = (): void => void sentAt.push(evaluations.length);
  const { story } = await playCase(caseFile, oneByOne(carrier), () => {}, { onSend });
  return {
    carrier: carrier.code,
    case: caseFile.content.case,
    exchanges: (story?.exchanges ?? []).map((exchange, at) =>
      explainExchange(carrier, exchange, { evaluations, sentAt, at }),
    ),
    results: explainResults(carrier, evaluations),
  };
};

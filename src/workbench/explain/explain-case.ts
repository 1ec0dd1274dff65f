/** Explains a case: it is run on an engine that watches, and what was evaluated is put beside what was sent. */
import { oneByOne } from '../cases/one-by-one.ts';
import type { CaseFile } from '../cases/read.ts';
import { playCase } from '../cases/run.ts';
import { createScript } from '../cases/script.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { explainExchange, explainResults } from './explain-exchange.ts';
import type { Explanation } from './explanation.ts';

/** `carrier` was compiled with an engine that adds to `evaluations`. */
export const explainCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  evaluations: readonly Evaluation[],
): Promise<Explanation> => {
  /** How many evaluations there had been when each request left. */
  const sentAt: number[] = [];
  const { exchanges } = await playCase(caseFile, oneByOne(carrier), (clock) => ({
    tokens: createMemoryTokens(clock.nowMs),
    scriptFor: (options) => {
      const script = createScript(options);
      return {
        ...script,
        send: async (request, limits) => {
          sentAt.push(evaluations.length);
          return await script.send(request, limits);
        },
      };
    },
  }));
  return {
    carrier: carrier.code,
    case: caseFile.content.case,
    exchanges: exchanges.map((exchange, at) =>
      explainExchange(carrier, {
        exchange,
        before: evaluations.slice(sentAt[at - 1] ?? 0, sentAt[at]),
        after: evaluations.slice(sentAt[at], sentAt[at + 1]),
      }),
    ),
    results: explainResults(carrier, evaluations),
  };
};

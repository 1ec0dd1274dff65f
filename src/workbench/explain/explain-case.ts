import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { RunOutcome } from '../../engine/dispatch/ports.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { CaseFile } from '../cases/read.ts';
import { playCase } from '../cases/run.ts';
import { oneByOne } from '../engine-run.ts';
import { explainPrices } from './explain-prices.ts';
import { type Explanation, recordRun } from './explain-run.ts';
import type { Watch } from './watch.ts';

/** `carrier` was compiled with the engine of `watch`. */
export const explainCase = async (caseFile: CaseFile, carrier: Carrier, watch: Watch): Promise<Explanation> => {
  const watched = oneByOne(watch.over(carrier));
  const run = recordRun(watch);
  let rates: RunOutcome | undefined;
  const { story, problems, ended } = await playCase(
    caseFile,
    watched,
    (played, step) => {
      const outcome = 'performed' in played ? played.performed.outcome : undefined;
      if (step.do === 'rates') rates = outcome;
      run.onEnd(step.do, outcome, played.events);
    },
    { onSend: run.onSend, onExchange: run.onExchange },
  );
  if (ended !== undefined) run.onEnd('', undefined, []);
  const why = ended === undefined ? [] : problems.list().map(({ message }) => message);
  const prices = explainPrices(carrier, story?.consignment as Consignment | undefined, rates);
  return {
    carrier: carrier.code,
    case: caseFile.content.case,
    notes: why.map((message) => `the case did not come to its end: ${message}`),
    ...(story === undefined
      ? { exchanges: [], results: [], events: [], ended: [] }
      : run.explain(watched, story.account)),
    ...(prices && { prices }),
  };
};

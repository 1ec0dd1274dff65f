import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { minimise } from './minimise.ts';

/** A long differential run in chunks: a line of JSON a chunk, minimised differences, exit 1 when there are any. */

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    chunk: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});
const [cases, chunk, firstSeed] = [Number(values.cases), Number(values.chunk), Number(values.seed)];

let done = 0;
let found = 0;
for (let seed = firstSeed; done < cases; seed += 1) {
  const { differences, ...figures } = await runCampaign(seed, Math.min(chunk, cases - done));
  done += figures.cases;
  found += differences.length;
  console.log(JSON.stringify({ seed, done, ...figures, differences: differences.length }));
  for (const difference of differences.slice(0, 3)) console.log(JSON.stringify(await minimise(difference)));
}
process.exitCode = found === 0 ? 0 : 1;

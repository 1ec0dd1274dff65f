import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { evaluateOurs, evaluateStock, judgeWithTrial, type FuzzCase } from './compare.ts';

/** True while both engines still disagree; what the parser refuses, they refuse alike. */
const differs = async (one: FuzzCase): Promise<boolean> =>
  (await judgeWithTrial(one, await evaluateStock(one), evaluateOurs(one))) === 'different';

/** Leaves out runs of characters, long ones first, as long as the difference stays. */
const shorterSource = async (one: FuzzCase): Promise<FuzzCase> => {
  let kept = one;
  for (let length = Math.ceil(kept.source.length / 2); length > 0; length = Math.floor(length / 2)) {
    for (let at = 0; at + length <= kept.source.length;) {
      const tried = { ...kept, source: kept.source.slice(0, at) + kept.source.slice(at + length) };
      if (await differs(tried)) kept = tried;
      else at += 1;
    }
  }
  return kept;
};

/** All documents with one part less. */
function* smaller(input: unknown): Generator {
  if (typeof input !== 'object' || input === null) return;
  if (Array.isArray(input)) {
    for (const [at, item] of input.entries()) {
      yield input.toSpliced(at, 1);
      for (const one of smaller(item)) yield input.with(at, one);
    }
    return;
  }
  for (const [key, value] of Object.entries(input)) {
    yield Object.fromEntries(Object.entries(input).filter(([name]) => name !== key));
    for (const one of smaller(value)) yield { ...input, [key]: one };
  }
}

const smallerInput = async (one: FuzzCase): Promise<FuzzCase> => {
  for (const input of smaller(one.input)) {
    const tried = { ...one, input };
    if (await differs(tried)) return await smallerInput(tried);
  }
  return one;
};

/** The difference with as little expression and document as greedy deletion finds. */
const minimise = async ({ source, input }: FuzzCase): Promise<FuzzCase> =>
  await shorterSource(await smallerInput(await shorterSource({ source, input })));

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

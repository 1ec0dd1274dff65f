/** Cases of policies: whom a consignment goes with, and why not with the others. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { Failure, problem } from '../../engine/failure.ts';
import type { Choice, Considered } from '../../engine/policy/choice.ts';
import { choose } from '../../engine/policy/choose.ts';
import type { Offer } from '../../engine/rates/offer.ts';
import type { ValuePath } from '../../engine/value.ts';
import { compareNamed } from '../cases/compare-named.ts';
import { type CaseFile, type CaseFiles, readCase } from '../cases/read.ts';
import {
  CaseEnded,
  type CaseReport,
  collectProblems,
  Comparison,
  type Problems,
  unreadableReport,
} from '../cases/report.ts';
import type { Expect, Given } from '../cases/schema.ts';
import { consignmentOf, NOW } from '../cases/story.ts';
import type { OpenedPolicy } from './open.ts';

/** Reads and runs one case of a policy; what makes it unreadable is its report, and then there is no `caseFile`. */
export const runPolicyCase = async (opened: OpenedPolicy, name: string, files: CaseFiles) => {
  const { name: policy } = opened.policy;
  const read = readCase(policy, name, files);
  if (read.ok) return { report: await runCase(read.caseFile, opened), caseFile: read.caseFile };
  return { report: unreadableReport(policy, name, read.findings), caseFile: undefined };
};

const runCase = async (caseFile: CaseFile, opened: OpenedPolicy): Promise<CaseReport> => {
  const { content, placeAt } = caseFile;
  const problems = collectProblems(placeAt);
  try {
    const { policy } = opened;
    const as = { code: policy.name, labels: { formats: ['PDF'] as const } };
    if (caseFile.consignment === undefined) problems.add(['given'], 'a policy needs a consignment');
    else {
      const consignment = consignmentOf(caseFile.consignment, as, undefined, problems) as Consignment;
      for (const [at, step] of content.flow.entries()) {
        if (step.do === 'choose') {
          const choice = await chooseGiven(opened, consignment, content.given ?? {}, caseFile.consignment);
          check(choice, step.expect ?? {}, ['flow', at, 'expect'], problems);
        } else problems.add(['flow', at, 'do'], 'a policy can only choose');
      }
    }
  } catch (thrown) {
    if (thrown instanceof Failure) problems.add([], thrown.message, { place: thrown.place });
    else if (!(thrown instanceof CaseEnded)) throw thrown;
  }
  return {
    case: content.case,
    carrier: caseFile.carrier,
    place: placeAt([]),
    passed: problems.list().length === 0,
    problems: problems.list(),
    touched: { steps: [], rules: [], rows: [] },
  };
};

const chooseGiven = async (
  { policy, carriers }: OpenedPolicy,
  consignment: Consignment,
  { now = NOW, service, accounts, away = [], volumes = {}, offers = {} }: Given,
  { labelFormat }: Readonly<Record<string, unknown>>,
): Promise<Choice> =>
  await choose(
    policy,
    consignment,
    carriers.map((carrier) => ({
      carrier,
      hasAccount: accounts?.includes(carrier.code) !== false,
      openBreaker: away.includes(carrier.code),
    })),
    {
      nowMs: Date.parse(now),
      serviceType: service,
      labelFormat: labelFormat as Consignment['labelFormat'],
      volume: (code) => volumes[code] ?? 0,
      quote: async ({ code }) => {
        const said = (offers as Readonly<Record<string, readonly Offer[]>>)[code];
        return await Promise.resolve(
          said === undefined ? { failed: problem('not_asked', 'the case gives no offers of it') } : { offers: said },
        );
      },
    },
  );

/** As cases name it. */
const nameOf = ({ carrier, service }: Considered): string =>
  service === undefined ? carrier : `${carrier}/${service}`;

const check = ({ rule, considered }: Choice, expect: Expect, path: ValuePath, problems: Problems): void => {
  const ranked = considered.filter(({ rank }) => rank !== undefined);
  const [taken] = ranked;
  const seen = {
    rule,
    taken: taken && nameOf(taken),
    ranked: ranked.map(nameOf),
    offer: taken?.offer,
    excluded: Object.fromEntries(
      considered.flatMap((one) => (one.excluded === undefined ? [] : [[nameOf(one), one.excluded.code]])),
    ),
  };
  const compared = new Comparison();
  for (const { path: name, expected, seen: other, at } of compareNamed(expect, seen))
    compared.differ(name, expected, other, [...path, ...at], other ?? null);
  if (compared.differences.length > 0) problems.add(path, 'it is chosen otherwise', compared);
};

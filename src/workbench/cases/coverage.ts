/** What of a carrier its cases came by: fields of the contract, branches of mappings, rules and rows. */
import { Consignment, ConsignmentItem } from '../../engine/consignment/consignment.ts';
import { formatPlace, type Place } from '../../engine/failure.ts';
import { isTrue } from '../../engine/dispatch/classify.ts';
import { type Evaluation, tracingEngine, type Watcher } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier, OutcomeRule } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import { draftOf, loadCarrier, type ProfileBundle } from '../../engine/profile/load.ts';
import { type CaseFiles, caseNames } from './read.ts';
import { type CaseReport, waiversIn } from './report.ts';
import { runCaseNamed } from './run.ts';

interface Missed {
  readonly kind: 'field' | 'branch' | 'rule' | 'row';
  readonly what: string;
  readonly place: Place;
}

/** Runs the cases on an engine that watches; undefined for a carrier that does not load. */
export const coverageOf = async (code: string, homes: Homes, files: CaseFiles) => {
  const { watcher, cover } = watchCoverage();
  const engine = tracingEngine(watcher);
  const loaded = loadCarrier(code, homes, undefined, engine);
  const carrier = draftOf(loaded, engine);
  return carrier && (await cover(carrier, loaded.bundle, files));
};

/** `watcher`: of the engine that the carrier to be covered is compiled with. */
export const watchCoverage = () => {
  const branches = new Map<string, Missed>();
  const evaluations: Evaluation[] = [];
  const watcher: Required<Watcher> = {
    compiled: (source, sides) => {
      for (const { at, side } of sides) {
        const place = source.placeAt(at);
        branches.set(`${formatPlace(place)} ${side}`, { kind: 'branch', what: side, place });
      }
    },
    evaluated: (evaluation) => void evaluations.push(evaluation),
  };
  const cover = async (carrier: Carrier, bundle: ProfileBundle, files: CaseFiles) =>
    await coverCases(carrier, bundle, files, { branches, evaluations });
  return { watcher, cover };
};

interface Watched {
  readonly branches: ReadonlyMap<string, Missed>;
  /** Grows while cases run. */
  readonly evaluations: readonly Evaluation[];
}

const coverCases = async (
  carrier: Carrier,
  { code, files: texts }: ProfileBundle,
  files: CaseFiles,
  { branches, evaluations }: Watched,
) => {
  /** Places of rules and rows that a case came by. */
  const touched = new Set<string>();
  const reports: CaseReport[] = [];
  for (const name of caseNames(code, files)) {
    const { report } = await runCaseNamed(carrier, name, files);
    reports.push(report);
    for (const place of [...report.touched.rules, ...report.touched.rows]) touched.add(place);
  }
  const waived = waiversIn('unread', Object.values(texts)).map(({ name: field, reason }) => ({ field, reason }));
  const fields = carrier.operations.create === undefined ? [] : mandatoryFields(carrier);
  const read = readFields(evaluations);
  const taken = takenBranches(evaluations);
  const held = heldRules(evaluations);
  const all: readonly (readonly [one: Missed, isCovered: boolean])[] = [
    ...fields
      .filter(({ what }) => !waived.some(({ field }) => field === what))
      .map((field) => [field, read.has(field.what)] as const),
    ...[...branches].map(([key, branch]) => [branch, taken.has(key)] as const),
    ...rulesOf(carrier).map(({ place, when, do: what }) => {
      const isHeld = when !== undefined && held.has(formatPlace(when.place));
      return [{ kind: 'rule' as const, what, place }, isHeld || touched.has(formatPlace(place))] as const;
    }),
    ...carrier.statuses.table.map(
      ({ place, key }) => [{ kind: 'row' as const, what: key, place }, touched.has(formatPlace(place))] as const,
    ),
  ];
  const missed = all.filter(([, isCovered]) => !isCovered).map(([one]) => one);
  const percent = all.length === 0 ? 100 : Math.floor((1_000 * (all.length - missed.length)) / all.length) / 10;
  return {
    carrier: code,
    /** Of all that could be come by. */
    percent,
    total: all.length,
    missed,
    /** Mandatory fields that are not read on purpose, with the reason given. */
    waived,
    /** By mapping: the fields of what it yields that were filled. */
    filled: filledBy(evaluations),
    reports,
  };
};
export type Coverage = NonNullable<Awaited<ReturnType<typeof coverageOf>>>;

const mandatoryFields = (carrier: Carrier): readonly Missed[] => {
  const place = carrier.operations.create?.place ?? carrier.place;
  return [
    ...Consignment.required.filter((name) => name !== 'itemList' && !isImplied(name, carrier)),
    ...ConsignmentItem.required.map((name) => `itemList.${name}`),
  ].map((what) => ({ kind: 'field', what, place }));
};

/** Mandatory fields that no mapping has to read: each says again what is known without it. */
const IMPLIED: ReadonlySet<string> = new Set([
  // Which profile is used, and which of its operations.
  'carrierCode',
  'typeOfAction',
  // What row of `services` was chosen: the root `service` has the carrier's word for it.
  'typeOfService',
  // The packages, counted and summed up.
  'numberOfShipments',
  'totalQuantity',
  'totalWeight',
  'uomTotalWeight',
]);

/** Where a carrier takes orders of one type only, or of one country, another does not come to it. */
const isImplied = (field: string, { capabilities: { orders, from, to } }: Carrier): boolean => {
  if (field === 'typeOfOrder') return orders.length === 1;
  if (field === 'originCountry') return from?.length === 1;
  if (field === 'destinationCountry') return to?.length === 1;
  return IMPLIED.has(field);
};

/** Fields of the contract, without positions; `item` is an entry of `itemList`. */
const readFields = (evaluations: readonly Evaluation[]): ReadonlySet<string> =>
  new Set(
    evaluations
      .flatMap(({ trace }) => [...trace.reads, ...trace.leaves.flatMap(({ origin }) => origin.reads)])
      .map((path) =>
        path
          .replaceAll(/\[\d+\]/g, '')
          .replace(/^consignment\./, '')
          .replace(/^items?\./, 'itemList.'),
      ),
  );

const takenBranches = (evaluations: readonly Evaluation[]): ReadonlySet<string> =>
  new Set(
    evaluations.flatMap(({ source, trace }) =>
      trace.taken.map(({ at, side }) => `${formatPlace(source.placeAt(at))} ${side}`),
    ),
  );

/** Places of conditions of rules that held once. */
const heldRules = (evaluations: readonly Evaluation[]): ReadonlySet<string> =>
  new Set(evaluations.filter(({ value }) => isTrue(value)).map(({ source }) => formatPlace(source.placeAt(0))));

/** A rule that only says of a status that it is a success leaves nothing behind to see it by. */
const rulesOf = ({ operations }: Carrier): readonly OutcomeRule[] => {
  const rules = new Map<string, OutcomeRule>();
  for (const { outcomes } of Object.values(operations).flatMap(({ steps }) => [...steps])) {
    for (const rule of outcomes) {
      if (rule.do !== 'succeed' || rule.when !== undefined) rules.set(formatPlace(rule.place), rule);
    }
  }
  return [...rules.values()];
};

const filledBy = (evaluations: readonly Evaluation[]): Record<string, string[]> => {
  const filled = new Map<string, Set<string>>();
  for (const { source, trace } of evaluations) {
    const { file } = source.placeAt(0);
    if (!file.endsWith('.jsonata')) continue;
    const paths = filled.get(file) ?? new Set();
    filled.set(file, paths);
    for (const { path } of trace.leaves) paths.add(path.filter((part) => typeof part === 'string').join('.'));
  }
  return Object.fromEntries([...filled].map(([file, paths]) => [file, [...paths].toSorted()]));
};

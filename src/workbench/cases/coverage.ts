/** What of a carrier its cases came by: fields of the contract, branches of mappings, rules and rows. */
import { Consignment, ConsignmentItem } from '../../engine/consignment/consignment.ts';
import { formatPlace, type Place } from '../../engine/failure.ts';
import { isTrue } from '../../engine/dispatch/classify.ts';
import type { Branch, Trace } from '../../engine/jsonata/trace.ts';
import type { SourceText } from '../../engine/mapping/source-text.ts';
import { tracingEngine, type Watcher } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier, OutcomeRule } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import { draftOf, loadCarrier, type ProfileBundle } from '../../engine/profile/load.ts';
import { type CaseFiles, caseNames } from './read.ts';
import { isUnchanged, noteReads, type Reads } from './remembered.ts';
import { type CaseReport, waiversIn } from './report.ts';
import { runCaseNamed } from './run.ts';

interface Missed {
  readonly kind: 'field' | 'branch' | 'rule' | 'row';
  readonly what: string;
  readonly place: Place;
}

/** Runs the cases on an engine that watches; undefined for a carrier that does not load. */
export const coverageOf = async (code: string, homes: Homes, files: CaseFiles) => {
  const { watcher, cover } = watchCoverage({ isFilledWanted: true });
  const engine = tracingEngine(watcher);
  const loaded = loadCarrier(code, homes, undefined, engine);
  const carrier = draftOf(loaded, engine);
  return carrier && (await cover(carrier, loaded.bundle, files));
};

/** What a case came by. Of evaluations it is noted as they come: they themselves hold all that they have read. */
interface Seen {
  /** Paths of what was read. */
  readonly reads: Set<string>;
  readonly taken: Map<SourceText, Map<string, Branch>>;
  /** Conditions that held once. */
  readonly held: Set<SourceText>;
  /** By file: the fields of what it yields that were filled. */
  readonly filled: Map<string, Set<string>>;
}
const nothingSeen = (): Seen => ({ reads: new Set(), taken: new Map(), held: new Set(), filled: new Map() });

/** One case, and what it depends on. */
export interface CoveredCase {
  readonly report: CaseReport;
  /** Fields of the contract, without positions; `item` is an entry of `itemList`. */
  readonly fields: ReadonlySet<string>;
  /** Places and sides of branches, and places of conditions, rules and rows. */
  readonly touched: ReadonlySet<string>;
  readonly filled: Seen['filled'];
  /** What it read of the fixtures. */
  readonly fixtures: Reads;
  readonly mappings: ReadonlySet<string>;
}

/** What cases came by when they were covered last, with these texts. */
export interface CoveredBefore {
  readonly texts: ProfileBundle['files'];
  readonly cases: ReadonlyMap<string, CoveredCase>;
}

/** `watcher`: of the engine that the carrier to be covered is compiled with. What is filled takes time to be found. */
export const watchCoverage = ({ isFilledWanted = false } = {}) => {
  const branches = new Map<string, Missed>();
  let seen = nothingSeen();
  const watcher: Watcher = {
    compiled: (source, sides) => {
      for (const { at, side } of sides) {
        const place = source.placeAt(at);
        branches.set(`${formatPlace(place)} ${side}`, { kind: 'branch', what: side, place });
      }
    },
    touched: (source, value, touched) => {
      for (const path of touched.reads) seen.reads.add(path);
      const taken = seen.taken.get(source) ?? new Map<string, Branch>();
      seen.taken.set(source, taken);
      for (const branch of touched.taken) taken.set(`${branch.at} ${branch.side}`, branch);
      if (isTrue(value)) seen.held.add(source);
    },
    evaluated: ({ source, trace }) => noteFilled(source, trace, seen.filled),
    isExplained: () => isFilledWanted,
  };
  const coverCase = async (carrier: Carrier, name: string, files: CaseFiles): Promise<CoveredCase> => {
    seen = nothingSeen();
    const { files: noted, reads: fixtures } = noteReads(files);
    const { report } = await runCaseNamed(carrier, name, noted);
    return { report, fixtures, ...cameBy(seen, report) };
  };
  /** `before`: cases that come by nothing that was changed since are not run again. */
  const cover = async (carrier: Carrier, bundle: ProfileBundle, files: CaseFiles, before?: CoveredBefore) => {
    const isAsBefore = whoIsAsBefore(bundle.files, files, before);
    const cases = new Map<string, CoveredCase>();
    for (const name of caseNames(carrier.code, files))
      cases.set(name, isAsBefore(name) ?? (await coverCase(carrier, name, files)));
    return { ...coverageBy(carrier, bundle, branches, [...cases.values()]), covered: { texts: bundle.files, cases } };
  };
  return { watcher, cover };
};

const cameBy = (
  { reads, taken, held, filled }: Seen,
  { touched }: CaseReport,
): Omit<CoveredCase, 'report' | 'fixtures'> => ({
  fields: new Set(
    [...reads].map((path) =>
      path
        .replaceAll(/\[\d+\]/g, '')
        .replace(/^consignment\./, '')
        .replace(/^items?\./, 'itemList.'),
    ),
  ),
  touched: new Set([
    ...touched.rules,
    ...touched.rows,
    ...[...held].map((source) => `${formatPlace(source.placeAt(0))} held`),
    ...[...taken].flatMap(([source, branches]) =>
      [...branches.values()].map(({ at, side }) => `${formatPlace(source.placeAt(at))} ${side}`),
    ),
  ]),
  filled,
  mappings: new Set([...taken.keys()].map((source) => source.placeAt(0).file)),
});

/**
 * A case may be kept where its fixtures are the same, and the carrier but for mappings that other cases have evaluated,
 * and it has not: one that no case has evaluated may be a constant.
 */
const whoIsAsBefore = (
  texts: ProfileBundle['files'],
  files: CaseFiles,
  before: CoveredBefore | undefined,
): ((name: string) => CoveredCase | undefined) => {
  if (before === undefined) return () => undefined;
  const paths = new Set([...Object.keys(texts), ...Object.keys(before.texts)]);
  const changed = [...paths].filter((path) => texts[path] !== before.texts[path]);
  const evaluated = new Set([...before.cases.values()].flatMap(({ mappings }) => [...mappings]));
  if (!changed.every((path) => path.endsWith('.jsonata') && evaluated.has(path))) return () => undefined;
  return (name) => {
    const known = before.cases.get(name);
    if (known === undefined || changed.some((path) => known.mappings.has(path))) return undefined;
    return isUnchanged(known.fixtures, files) ? known : undefined;
  };
};

const coverageBy = (
  carrier: Carrier,
  { code, files: texts }: ProfileBundle,
  branches: ReadonlyMap<string, Missed>,
  cases: readonly CoveredCase[],
) => {
  const waived = waiversIn('unread', Object.values(texts)).map(({ name: field, reason }) => ({ field, reason }));
  const fields = carrier.operations.create === undefined ? [] : mandatoryFields(carrier);
  const isTouched = (what: string): boolean => cases.some(({ touched }) => touched.has(what));
  const all: readonly (readonly [one: Missed, isCovered: boolean])[] = [
    ...fields
      .filter(({ what }) => !waived.some(({ field }) => field === what))
      .map((field) => [field, cases.some((one) => one.fields.has(field.what))] as const),
    ...[...branches].map(([key, branch]) => [branch, isTouched(key)] as const),
    ...rulesOf(carrier).map(({ place, when, do: what }) => {
      const isHeld = when !== undefined && isTouched(`${formatPlace(when.place)} held`);
      return [{ kind: 'rule' as const, what, place }, isHeld || isTouched(formatPlace(place))] as const;
    }),
    ...carrier.statuses.table.map(
      ({ place, key }) => [{ kind: 'row' as const, what: key, place }, isTouched(formatPlace(place))] as const,
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
    filled: filledBy(cases),
    reports: cases.map(({ report }) => report),
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

const noteFilled = (source: SourceText, { leaves }: Trace, filled: Seen['filled']): void => {
  const { file } = source.placeAt(0);
  if (!file.endsWith('.jsonata')) return;
  const paths = filled.get(file) ?? new Set();
  filled.set(file, paths);
  for (const { path } of leaves) paths.add(path.filter((part) => typeof part === 'string').join('.'));
};

const filledBy = (cases: readonly CoveredCase[]): Record<string, string[]> => {
  const byFile = Map.groupBy(
    cases.flatMap(({ filled }) => [...filled]),
    ([file]) => file,
  );
  return Object.fromEntries(
    [...byFile].map(([file, each]) => [file, [...new Set(each.flatMap(([, paths]) => [...paths]))].toSorted()]),
  );
};

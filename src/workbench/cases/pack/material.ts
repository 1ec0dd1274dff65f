/** What a carrier's own cases tell the pack: consignments it takes, and what it answers. */
import type { Carrier } from '../../../engine/profile/carrier.ts';
import type { CaseFiles } from '../case-files.ts';
import { caseNames } from '../case-names.ts';
import { type CaseFile, readCase } from '../read.ts';
import { type Answer, type ExpectedRequest, METHOD_KEYS, type Step } from '../schema.ts';

export interface KnownAnswer {
  readonly method: string;
  readonly url: string;
  readonly answer: Answer;
  /** Whose files it names. */
  readonly caseFile: CaseFile;
}

export interface Material {
  /** Cases that begin with a create which succeeds. */
  readonly creates: readonly CaseFile[];
  readonly answers: readonly KnownAnswer[];
}

export const readMaterial = (carrier: Carrier, files: CaseFiles): Material => {
  const cases = caseNames(carrier.code, files).flatMap((name) => {
    const read = readCase(carrier.code, name, files);
    return read.ok ? [read.caseFile] : [];
  });
  return {
    creates: cases.filter(({ content, consignment }) => {
      const [first] = content.flow;
      return consignment !== undefined && first?.do === 'create' && succeeds(first) && isPlain(first);
    }),
    answers: cases.flatMap(answersOf),
  };
};

const succeeds = ({ expect }: Step): boolean => (expect?.outcome ?? 'succeed') === 'succeed';

/** Nothing goes wrong on its way. */
const isPlain = ({ exchanges = [] }: Step): boolean =>
  exchanges.every(({ response, wait }) => isGood(response) && wait === undefined);

const isGood = (response: string | Answer): response is Answer =>
  typeof response !== 'string' && response.status >= 200 && response.status < 300 && response.delay === undefined;

/** What was answered to steps that succeeded, but for what made the engine ask again. */
export const answersOf = (caseFile: CaseFile): readonly KnownAnswer[] =>
  caseFile.content.flow.filter(succeeds).flatMap(({ exchanges = [] }) => {
    let request: ExpectedRequest = {};
    return exchanges.flatMap((exchange, at) => {
      if (exchange.request !== 'same') ({ request } = exchange);
      const method = METHOD_KEYS.find((key) => request[key] !== undefined);
      if (method === undefined || !isGood(exchange.response) || exchanges[at + 1]?.request === 'same') return [];
      return [{ method: method.toUpperCase(), url: request[method] ?? '', answer: exchange.response, caseFile }];
    });
  });

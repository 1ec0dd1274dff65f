/** What `waybill certify` says: as text, and as `--json` has it. */
import { plainLine } from '../engine/text.ts';
import type { Certified, Judged } from '../workbench/certify/certify.ts';
import type { Offence } from '../workbench/certify/judging.ts';

const FINDINGS_SHOWN = 5;
const SHOWN_MAX = 4_000;

const bodyOf = (bytes: Buffer | undefined): unknown => {
  const text = bytes?.toString() ?? '';
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text === '' ? undefined : text.slice(0, SHOWN_MAX);
  }
};

/** What was sent and what came, masked. */
const findingOf = ({ what, tried, push }: Offence) => {
  if (push !== undefined) return { what, came: { headers: push.headers, body: bodyOf(push.body) } };
  if (tried === undefined) return { what };
  const { method, url, requestHeaders, requestBody, status, responseHeaders, responseBody } = tried.exchange;
  const sent = { method, url, headers: requestHeaders, body: bodyOf(requestBody) };
  return { what, sent, came: { status, headers: responseHeaders, body: bodyOf(responseBody) } };
};

const countsOf = (statements: readonly Judged[]) => {
  const count = (isOne: (one: Judged) => boolean): number => statements.filter(isOne).length;
  return {
    hold: count(({ verdict }) => verdict === 'holds'),
    broken: count(({ verdict, level }) => verdict === 'broken' && level === 'must'),
    advised: count(({ verdict, level }) => verdict === 'broken' && level === 'should'),
    notTried: count(({ verdict }) => verdict === 'not_tried'),
    leftOut: count(({ verdict }) => verdict === 'left_out'),
  };
};

export const jsonCertified = (url: string, carrier: string, { isOk, statements, leftOver }: Certified) => {
  const told = statements.map(({ offences, ...one }) => ({ ...one, findings: offences.map(findingOf) }));
  return { ok: isOk, url, carrier, ...countsOf(statements), leftOver, statements: told };
};

export const showCertified = ({ statements, leftOver }: Certified): string => {
  const { hold, broken, advised, notTried, leftOut } = countsOf(statements);
  const parts = Map.groupBy(statements, ({ place }) => place);
  return [
    ...[...parts].flatMap(([place, judged]) => [place, ...judged.flatMap(linesOf)]),
    ...(leftOver.length === 0 ? [] : [`not cancelled: ${leftOver.join(', ')}`]),
    `${hold} hold, ${broken} broken, ${advised} advised, ${notTried} not tried, ${leftOut} left out\n`,
  ].join('\n');
};

const MARKS = { holds: 'ok  ', not_tried: '?   ', left_out: '-   ' } as const;

const linesOf = ({ id, level, says, verdict, why, offences }: Judged): readonly string[] => {
  const mark = verdict !== 'broken' ? MARKS[verdict] : level === 'must' ? 'FAIL' : 'note';
  const [first, ...others] = offences.map(findingOf);
  const { what = '', ...exchange } = first ?? {};
  return [
    `  ${mark} ${id}: ${says}${why === undefined ? '' : ` (${why})`}`,
    ...[what, ...others.slice(0, FINDINGS_SHOWN - 1).map((one) => one.what)].filter((line) => line !== ''),
    ...(offences.length > FINDINGS_SHOWN ? [`${offences.length} in all`] : []),
    ...Object.entries(exchange).map(([name, message]) => `${name}: ${JSON.stringify(message)}`.slice(0, SHOWN_MAX)),
  ].map((line, at) => (at === 0 ? line : `       ${plainLine(line)}`));
};

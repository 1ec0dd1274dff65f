import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { codecOf } from '../../../src/engine/codecs/codec.ts';
import { decoderNamed } from '../../../src/engine/codecs/codecs.ts';
import { type Ast, constantOf } from '../../../src/engine/jsonata/parse.ts';
import { pairsOf } from '../../../src/engine/jsonata/scope.ts';
import { parseExpression } from '../../../src/engine/mapping/expression.ts';
import type { Mapping } from '../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { codesOf } from '../../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import type { WireRequest } from '../../../src/engine/transport/wire.ts';
import { once } from '../../../src/engine/value.ts';
import { type CaseFile, caseNames, directoryCaseFiles, readCase } from '../../../src/workbench/cases/read.ts';
import { playCase } from '../../../src/workbench/cases/run.ts';
import { oneByOne } from '../../../src/workbench/engine-run.ts';
import { type ExplainedExchange, recordRun } from '../../../src/workbench/explain/explain-run.ts';
import type { ExplainedValue } from '../../../src/workbench/explain/explain-values.ts';
import { type Note, watchMappings } from '../../../src/workbench/explain/watch.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const homes = { home: directoryFiles(root), shipped: directoryFiles(root) };
const files = directoryCaseFiles(root);

const loaded = once((code: string) => {
  const watch = watchMappings();
  const { carrier } = loadCarrier(code, homes, undefined, watch.engine);
  if (carrier === undefined) throw new Error(`${code} does not load`);
  return { watch, carrier, watched: oneByOne(watch.over(carrier)), notes: watch.notes as Note[] };
});

/** A case as it is explained, with the requests as they left. */
const played = async (code: string, caseFile: CaseFile) => {
  const { watch, carrier, watched, notes } = loaded(code);
  // Those of the case before.
  notes.length = 0;
  const run = recordRun(watch);
  const sent: WireRequest[] = [];
  let last: WireRequest | undefined;
  const { story, problems } = await playCase(
    caseFile,
    watched,
    (one, step) => run.onEnd(step.do, 'performed' in one ? one.performed.outcome : undefined, one.events),
    {
      onSend: (request) => run.onSend((last = request)),
      onExchange: (exchange) => {
        if (last !== undefined) sent.push(last);
        run.onExchange(exchange);
      },
    },
  );
  if (story === undefined) throw new Error('it did not begin');
  const explained = run.explain(watched, story.account);
  const exchanges = explained.exchanges.filter(({ method }) => method !== undefined);
  return { carrier, sent, exchanges, explained, problems, notes };
};

type Named = readonly [path: string, value: string];

/** Without positions, prefixes of names, and what codecs call texts. */
const plain = (path: string): string =>
  path
    .split('.')
    .filter((part) => !/^(?:\d+|#text|content)$/.test(part))
    .map((part) => part.replace(/^(@?)[\w-]+:/, '$1'))
    .join('.')
    .replace(/^body\.Envelope\.(?:Body|Header)/, (part) => (part.endsWith('y') ? 'body' : 'header'));

const leavesOf = (value: unknown, path: string): readonly Named[] => {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, held]) => leavesOf(held, `${path}.${key}`));
};

const bodyOf = ({ body, headers }: WireRequest): unknown => {
  const contentType = headers['content-type'];
  if (body === undefined || contentType === undefined) return undefined;
  const read = decoderNamed(codecOf(contentType) ?? 'text').decode(Buffer.from(body), { contentType });
  return read.ok ? (read.body ?? undefined) : undefined;
};

const isOfOrder = ({ reads }: ExplainedValue): boolean =>
  reads.some(
    (read) => /^(?:consignment|items?)\b/.test(read) && !/\.(?:typeOfAction|trackingNumber|info)$|\.memo\b/.test(read),
  );

/** Fields that an expression writes whatever the order is. */
const writtenBy = (ast: Ast | undefined, path: string): readonly string[] => {
  if (ast === undefined) return [];
  if (ast.type === 'block') return writtenBy(ast.expressions?.at(-1), path);
  if (ast.type === 'path') return writtenBy(ast.steps?.at(-1), path);
  if (ast.type === 'function' && ast.procedure?.value === 'prune') return writtenBy(ast.arguments?.[0], path);
  if (ast.type !== 'unary' || ast.value !== '{') return [];
  return pairsOf(ast).flatMap(([key, value]) => {
    const name = constantOf(key)?.value;
    if (typeof name !== 'string') return [];
    const below = writtenBy(value, `${path}.${name}`);
    return below.length === 0 ? [`${path}.${name}`] : below;
  });
};

const writtenIn = ({ text, place }: Mapping): readonly string[] =>
  place.file.endsWith('.jsonata') ? writtenBy(parseExpression(sourceText(place.file, text)), 'body') : [];

const isExplained = (values: readonly ExplainedValue[], path: string): boolean =>
  values.some((one) => one.path === path || one.path.startsWith(`${path}.`) || path.startsWith(`${one.path}.`));

const missed = (request: WireRequest, { values, operation }: ExplainedExchange): readonly string[] => {
  const told = values.map((one) => ({ ...one, path: plain(one.path) }));
  return leavesOf(bodyOf(request) ?? {}, 'body').flatMap(([path, value]) => {
    const named = told.filter((one) => one.path === plain(path));
    if (operation === 'login' && named.length === 0) return [];
    return named.length === 0 ? [`${path} = ${value}`] : [];
  });
};

const carriers = codesOf(homes.home).filter((code) => caseNames(code, files).length > 0);

describe.each(carriers)('%s', (code) => {
  test.each(caseNames(code, files))('%s', async (name) => {
    const read = readCase(code, name, files);
    if (!read.ok) throw new Error(`${name} cannot be read`);
    const { carrier, sent, exchanges, explained, problems, notes } = await played(code, read.caseFile);
    // To be watched changes nothing; where calls go side by side, a case may have them in another order.
    const isParallel = Object.values(carrier.operations).some(({ steps }) => steps.some((step) => step.parallel > 1));
    if (!isParallel) expect(problems.list().map(({ message }) => message)).toEqual([]);
    expect(exchanges).toHaveLength(sent.length);
    for (const [at, request] of sent.entries()) {
      const exchange = exchanges[at] as ExplainedExchange;
      expect([exchange.method, missed(request, exchange)]).toEqual([request.method, []]);
    }
    const values = [...explained.exchanges.flatMap((one) => one.values), ...explained.results];
    const ofNobody = values.filter((one) => isOfOrder(one) && one.shipper.length === 0);
    expect(ofNobody.map(({ path, reads }) => `${path} ← ${reads.join()}`)).toEqual([]);
    expect(values.filter(({ value, absent }) => value === undefined && (absent ?? '') === '')).toEqual([]);
    const bodies = notes.filter(({ where, thrown }: Note) => where.at(-1) === 'content' && thrown === undefined);
    const written = new Set(bodies.flatMap(({ mapping }) => writtenIn(mapping)));
    expect([...written].filter((path) => !isExplained(values, path))).toEqual([]);
    for (const end of explained.ended)
      expect([end.messages.length > 0, end.file ?? end.outcome]).not.toContain(undefined);
  });
});

import type { WireRequest } from '../../src/engine/transport/wire.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codesOf } from '../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { ROOT } from './bundled.ts';

/** All that a case lets out: each request as its bytes, what each step came to, what it tells of. */
interface Seen {
  readonly wire: readonly string[];
  readonly results: readonly string[];
  readonly problems: string;
}

const base64 = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('base64');

/** Values as they are, the order of keys included. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (part instanceof Uint8Array ? base64(part) : part)) ?? 'nothing';

/** Runs cases in a program of its own, which has WAYBILL_MAPPING set to that. */
const programOf = async (engine: string) => {
  vi.resetModules();
  vi.stubEnv('WAYBILL_MAPPING', engine);
  const { caseNames, directoryCaseFiles, readCase } = await import('../../src/workbench/cases/read.ts');
  const { checkStep, playCase } = await import('../../src/workbench/cases/run.ts');
  const { loadCarrier } = await import('../../src/engine/profile/load.ts');
  const { chosenEngine, engineNamed } = await import('../../src/engine/mapping/chosen-engine.ts');
  expect(chosenEngine()).toBe(engineNamed(engine));
  const home = directoryFiles(ROOT);
  const files = directoryCaseFiles(ROOT);
  /** All cases of a carrier, by name. */
  return async (code: string): Promise<ReadonlyMap<string, Seen>> => {
    const { carrier } = loadCarrier(code, { home, shipped: home });
    if (carrier === undefined) throw new Error(`${code} does not load`);
    const seen = new Map<string, Seen>();
    for (const name of caseNames(code, files)) {
      const read = readCase(code, name, files);
      if (!read.ok) throw new Error(`${name} cannot be read`);
      const [wire, results]: [string[], string[]] = [[], []];
      const onSend = ({ method, url, headers, body }: WireRequest): void =>
        void wire.push(written([method, url, Object.entries(headers), base64(body)]));
      const onStep: typeof checkStep = (played, ...of) => {
        results.push(written(played));
        checkStep(played, ...of);
      };
      const { problems } = await playCase(read.caseFile, carrier, onStep, { onSend });
      seen.set(name, { wire, results, problems: written(problems.list()) });
    }
    return seen;
  };
};

const codes = codesOf(directoryFiles(ROOT));

describe('the cases of every bundled carrier', () => {
  const run = {} as Record<'stock' | 'compiled', Awaited<ReturnType<typeof programOf>>>;
  beforeAll(async () => {
    run.stock = await programOf('stock');
    run.compiled = await programOf('compiled');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  it('are found', () => {
    expect(codes.length).toBeGreaterThan(10);
  });

  it.each(codes)('%s: the same bytes, results and events on both engines', { timeout: 300_000 }, async (code) => {
    const [stock, compiled] = [await run.stock(code), await run.compiled(code)];
    expect(compiled).toEqual(stock);
    // A carrier with cases that sent nothing would be no proof.
    if (stock.size > 0) expect([...stock.values()].some(({ wire }) => wire.length > 0)).toBe(true);
  });
});

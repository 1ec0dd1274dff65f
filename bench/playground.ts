/**
 * How long the playground takes to show what a keystroke changed, in a real browser, for the largest bundled carrier:
 * its requests and result, and the coverage by all cases. `npm run bench:playground -- --help` shows the options.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { chromium } from 'playwright-core';
import { EXTENSIONS } from '../src/cli/extensions.ts';
import { serve } from '../src/platform/processes/serve.ts';
import { freePort } from '../simulator/demo/server.ts';
import { buildConsole } from '../console/build.ts';
import { number, printTimes } from './options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((one) => existsSync(one));
const ADMIN = 'playground-bench-token-that-is-only-for-this-run';

const options = new Command('bench:playground')
  .option('--carrier <code>', 'whose mapping is edited', 'ups')
  .option('--keys <number>', 'keystrokes, each after the answer to the one before', number, 40)
  .option('--limit <ms>', 'p95 from the keystroke to requests, result and events', number, 300)
  .option(
    '--coverage-limit <ms>',
    'p95 from the keystroke, 50 ms before it is asked for, to the coverage by all cases',
    number,
    350,
  )
  .parse()
  .opts<{ readonly carrier: string; readonly keys: number; readonly limit: number; readonly coverageLimit: number }>();

await using running = new AsyncDisposableStack();
const home = mkdtempSync(path.join(tmpdir(), 'waybill-bench-'));
running.defer(() => rmSync(home, { recursive: true, force: true }));
for (const folder of ['carriers', 'mappings', 'fixtures'])
  cpSync(path.join(ROOT, folder), path.join(home, folder), { recursive: true });
await buildConsole();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  WAYBILL_HOME: home,
  PORT: String(port),
  PUBLIC_URL: url,
  WAYBILL_ADMIN_TOKEN: ADMIN,
  LOG_LEVEL: 'silent',
};
const server = await serve({ role: 'all', env, print: () => undefined, extensions: EXTENSIONS, companions: [] });
running.defer(async () => await server.close());
const browser = await chromium.launch(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM });
running.defer(async () => await browser.close());

const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
page.setDefaultTimeout(60_000);
await page.goto(`${url}/console/playground/${options.carrier}`);
await page.getByLabel('Operator’s token').fill(ADMIN);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.locator('[data-state=none]').waitFor();

/** In the page: when a key was pressed, and when which state was shown after it. */
await page.evaluate(`
  window.seen = { keyMs: 0 };
  addEventListener('keydown', () => (window.seen = { keyMs: performance.now() }), true);
  const status = document.querySelector('[data-state]');
  new MutationObserver(() => (window.seen[status.dataset.state] ??= performance.now())).observe(status, { attributes: true });
`);
const mapping = `mappings/${options.carrier}/create.jsonata`;
const lines = readFileSync(path.join(home, mapping), 'utf8').split('\n').length;
await page.locator(`.editor[data-path="${mapping}"] .cm-content`).click();
await page.keyboard.press('Control+End');
await page.locator('[data-state=none]').waitFor();

const tookMs = { requests: [] as number[], coverage: [] as number[], findings: [] as number[] };
for (let key = 0; key < options.keys; key += 1) {
  await page.keyboard.press('Space');
  // Its policy forbids the page to be asked again and again by Playwright itself.
  let seen: Partial<Record<'keyMs' | 'cases' | 'findings' | 'none', number>> = {};
  while (seen.none === undefined) {
    await sleep(100);
    seen = await page.evaluate('window.seen');
  }
  const { keyMs = 0, cases = NaN, findings = NaN, none } = seen;
  tookMs.requests.push(cases - keyMs);
  tookMs.coverage.push(findings - keyMs);
  tookMs.findings.push(none - keyMs);
}

console.log(`${options.carrier}: a mapping of ${lines} lines, ${options.keys} keystrokes, each shown after`);
if (printTimes('requests', tookMs.requests, options.limit)) process.exitCode = 1;
if (printTimes('coverage', tookMs.coverage, options.coverageLimit)) process.exitCode = 1;
printTimes('findings', tookMs.findings, Infinity);

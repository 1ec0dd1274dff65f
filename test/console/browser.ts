/** A real Chromium, driven without a window; each page notes what it must never do. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { PROJECT } from '../support/project.ts';
import { until } from '../support/until.ts';
import { buildConsole } from '../../console/build.ts';

const EXECUTABLE = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((one) => existsSync(one));
/** Whoever has no Chromium runs all other tests; CI installs it, and says so. */
export const hasBrowser = EXECUTABLE !== undefined || process.env['CI_CHROMIUM'] !== undefined;

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export interface Tab {
  readonly page: Page;
  /** Requests to other origins, scripts that failed, and breaches of the policy. */
  readonly wrong: readonly string[];
}

export const browserWorld = (urlOf: () => string) => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    await buildConsole();
    browser = await chromium.launch(EXECUTABLE === undefined ? {} : { executablePath: EXECUTABLE });
  });
  afterAll(async () => await browser?.close());

  const open = async (
    place: string,
    {
      token,
      width = 1280,
      dark = false,
      base = '/console',
    }: { token?: string; width?: number; dark?: boolean; base?: string } = {},
  ): Promise<Tab> => {
    const origin = urlOf();
    const page = await browser!.newPage({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
      baseURL: origin,
    });
    page.setDefaultTimeout(60_000);
    const wrong: string[] = [];
    page.on('request', (request) => {
      // The browser's own viewer of PDF is an extension of it.
      if (![origin, 'blob:', 'chrome'].some((own) => request.url().startsWith(own)))
        wrong.push(`asked ${request.url()}`);
    });
    page.on('pageerror', (error) => wrong.push(`failed: ${error.message}`));
    page.on('dialog', (dialog) => wrong.push(`opened a dialog: ${dialog.message()}`));
    page.on('console', (message) => {
      const { url } = message.location();
      if ((url === '' || url.startsWith(origin)) && /Content Security Policy|Refused to/.test(message.text()))
        wrong.push(message.text());
    });
    await page.goto(`${base}${place}`);
    if (token !== undefined) await signIn(page, token);
    return { page, wrong };
  };
  return { open };
};

const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Operator’s token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').or(page.getByRole('alert')).first().waitFor();
};

/** Where pictures for the docs are to be written. */
const SCREENSHOTS = process.env['WAYBILL_SCREENSHOTS'];

/** Of the part of the page that is in view, where pictures are wanted. */
export const takePicture = async (page: Page, name: string, { dark = false } = {}): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  const width = page.viewportSize()?.width ?? 0;
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  const file = path.resolve(PROJECT, SCREENSHOTS, `${name}-${width}${dark ? '-dark' : ''}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
};

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds that is serious. */
export const seriousViolations = async (page: Page): Promise<readonly string[]> => {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(readFileSync(AXE, 'utf8'));
  // What it finds in order is many times as much, and would have to come out of the browser too.
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** Goes to a place of the console and waits until it shows what it has. */
export const visit = async (page: Page, place: string): Promise<void> => {
  await page.goto(`/console${place}`);
  await settle(page);
};

/** As `visit`, from another place of the console that is shown: without loading the page anew. */
export const go = async (page: Page, place: string): Promise<void> => {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${place}`)})`);
  await settle(page);
};

/** Waits until the page shows what it has. */
export const settle = async (page: Page): Promise<void> => {
  // Behind a dialog the page has no heading for those who cannot see it.
  await page.getByRole('heading', { level: 1 }).or(page.getByRole('dialog')).first().waitFor();
  await until('the page shows what it has', async () => !BUSY.test(await page.innerText('body')));
};

const BUSY = /Loading …|Explaining …/;

const TABS_MAX = 200;
/** Whether it has the focus; runs in the page. */
const isFocused = (element: unknown): boolean =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;

/** Moves the focus to a control as somebody without a mouse does. */
export const tabTo = async (page: Page, control: Locator): Promise<void> => {
  await control.waitFor();
  for (let left = TABS_MAX; left > 0; left -= 1) {
    if (await control.evaluate(isFocused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(control)} is not reached with Tab`);
};

/** Tabs to a control and presses Enter. */
export const enter = async (page: Page, control: Locator): Promise<void> => {
  await tabTo(page, control);
  await page.keyboard.press('Enter');
};

export const expectClean = ({ wrong }: Tab): void => expect(wrong).toEqual([]);

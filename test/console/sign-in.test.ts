/** Signing in at the organisation's identity provider, in a real browser: the provider is another site. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeServers } from '../engine/transport/servers.ts';
import { flowWorld } from '../flow/world.ts';
import { CLIENT, startIdentityProvider, type TestProvider } from '../platform/api/identity-provider.ts';
import { browserWorld, hasBrowser, seriousViolations } from './browser.ts';

describe.skipIf(!hasBrowser)('single sign-on', () => {
  const world = flowWorld({ isServing: false });
  const { open } = browserWorld(() => world.server.url);
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    const env = {
      OIDC_ISSUER: provider.url,
      OIDC_CLIENT_ID: CLIENT.clientId,
      OIDC_CLIENT_SECRET: CLIENT.clientSecret,
      OIDC_ROLES: 'operate=support,administer=platform',
    };
    await world.serve({ env });
  });
  afterAll(closeServers);

  it('leads to the page that was wanted, with the role of the group', async () => {
    const { page, wrong } = await open('/people?section=sessions', { width: 390 });
    const link = page.getByRole('link', { name: 'Sign in with single sign-on' });
    await link.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/people');
    await page.getByText('sso:ada@example.com').first().waitFor();
    const elsewhere = wrong.map((one) => one.replace(/\?.*/, ''));
    expect(elsewhere).toEqual([`asked ${provider.url}/authorize`]);
  });

  it('says why it let nobody in, and leaves the token as a way', async () => {
    provider.state.person = { sub: 'p-2', groups: ['guests'] };
    const { page } = await open('');
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
    await page.getByText('You are in no group that may use this console').waitFor();
    await page.getByLabel('Operator’s token').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});

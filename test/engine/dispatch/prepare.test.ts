import { describe, expect, it } from 'vitest';
import { allowedHosts } from '../../../src/engine/dispatch/prepare.ts';
import { runOperation } from '../../../src/engine/dispatch/operation.ts';
import { carrierOf, createWorld, numbers, profileOf, runOf, single } from './world.ts';

const carrier = carrierOf(
  profileOf(
    `create: { post: 'https://orders.acme.example/orders', result: '{ "itemsTrackDetails": [] }' }`,
    "hosts: ['*.files.example']",
  ),
);
const allowing = (url: string) => allowedHosts(carrier, { url });

describe('the requests of a carrier', () => {
  it.each<[boolean, string]>([
    [true, 'https://api.acme.example:8443/x'],
    [true, 'https://orders.acme.example/x'],
    [true, 'https://a.files.example/label.pdf'],
    [false, 'https://api.acme.example/x'],
    [false, 'https://api.acme.example.evil.example/x'],
    [false, 'https://files.example.evil.example/x'],
    [false, 'https://evil.example/?https://api.acme.example:8443'],
    [false, 'https://api.acme.example:8443@evil.example/x'],
    [false, 'no url'],
  ])('may go where the profile says, and nowhere else: %s for %s', (may, url) => {
    expect(allowing('https://api.acme.example:8443/v1').allows(url)).toBe(may);
  });

  it('go to the base URL of the account, and not to that of the profile, which is no declared host any more', async () => {
    const world = createWorld(carrierOf(single()), [numbers]);
    const own = carrierOf(single());
    const account = { ...runOf(own, 'create').account, baseUrl: 'https://shop.acme.example/v2/' };
    const consignment = {
      referenceId: 'REF-1',
      itemList: [{ itemReferenceNumber: 'A' }, { itemReferenceNumber: 'B' }],
    };
    await runOperation(runOf(own, 'create', { account, inputs: { consignment } }), world.ports);
    const [sent] = world.sent;
    expect(sent?.url).toBe('https://shop.acme.example/v2/orders');
    const hosts = ['https://shop.acme.example/x', 'https://api.acme.example/x'];
    expect(hosts.map((url) => sent?.allowedHosts?.allows(url))).toEqual([true, false]);
  });

  it.each(['be', 'nl'])('go to the environment of their account only: %s', (country) => {
    expect(allowing(`https://${country}.acme.example`).allows('https://nl.acme.example/x')).toBe(country === 'nl');
  });
});

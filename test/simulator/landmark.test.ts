import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { carrier } from '../../simulator/landmark.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { allIn, inside, textIn, type Element } from '../../simulator/xml.ts';
import { readPng } from './barcode.ts';
import { simulating } from './call.ts';
import { now } from './orders.ts';
import { postXml } from './soap.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const folder = `${import.meta.dirname}/../../fixtures/landmark`;
const fixture = (name: string): string =>
  readFileSync(`${folder}/${name}.request.xml`, 'utf8').replaceAll('example-', 'simulated-');
const ask = async (name: string, body: string, headers: Record<string, string> = {}): Promise<Element> => {
  const { status, root } = await postXml(`${simulator.carriers['landmark']!}/${name}.php`, body, headers);
  expect(status).toBe(200);
  return root!;
};
const messagesOf = (root: Element): readonly string[] =>
  allIn(inside(root, 'Errors'), 'Error').map((one) => textIn(one, 'ErrorMessage'));

it('takes three packages and draws a label for each', async () => {
  const root = await ask('Ship', fixture('three-packages'));
  expect(textIn(root, 'Result', 'Success')).toBe('true');
  const packages = allIn(inside(root, 'Result', 'Packages'), 'Package');
  expect(packages.map((one) => textIn(one, 'PackageReference'))).toEqual(['PKG-1', 'PKG-2', 'PKG-3']);
  for (const one of packages) {
    const image = Buffer.from(textIn(one, 'LabelImages', 'LabelImage'), 'base64');
    expect(await readPng(image)).toEqual([textIn(one, 'TrackingNumber')]);
  }
});

it('takes the document as a form field too, and links the labels unless told otherwise', async () => {
  const text = fixture('one-package').replace(/<LabelEncoding>.*<\/LabelEncoding>/, '');
  const form = new URLSearchParams({ RQXML: text }).toString();
  const root = await ask('Ship', form, { 'content-type': 'application/x-www-form-urlencoded' });
  expect(textIn(root, 'Result', 'Packages', 'Package', 'LabelLink')).toMatch(/^http/);
});

it.each([
  ['a reference used before', /x^/, '', /was already used by LTN\d+ on 2026-05-01/],
  ['a state by its name', /<State>ON</, '<State>Ontario<', /State-Province is invalid/],
  ['a service nobody has', /LGINTSTD/, 'LGINTX', /Invalid shipping service requested: LGINTX/],
  ['a missing weight', /<Weight>4.5<\/Weight>/, '', /Required element Weight not found/],
  ['a wrong password', /simulated-password/, 'wrong', /username\/password combination/],
  ['what is no XML', /<\/ShipRequest>/, '', /Unable to parse/],
])('refuses %s inside HTTP 200', async (_, from, to, message) => {
  await ask('Ship', fixture('one-package'));
  expect((await ask('Ship', fixture('one-package').replace(from, to))).local).toMatch(/Response$/);
  const root = await ask('Ship', fixture('one-package').replace(from, to));
  expect(messagesOf(root)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  expect(simulator.shipments('landmark')).toHaveLength(1);
});

it('tells events in the time of Chicago, with codes only when asked for all', async () => {
  await ask('Ship', fixture('three-packages'));
  const { reference } = simulator.shipments('landmark')[0]!;
  const track = fixture('lookup').replace(/<Reference>.*<\/Reference>/, `<Reference>${reference}</Reference>`);
  const event = inside(await ask('Track', track), 'Result', 'Packages', 'Package', 'Events', 'Event');
  expect([textIn(event, 'DateTime'), textIn(event, 'EventCode')]).toEqual(['2026-05-01 03:00:00', '75']);
  const last = await ask('Track', track.replace('Historical', ''));
  expect(textIn(last, 'Result', 'Packages', 'Package', 'Events', 'Event', 'EventCode')).toBe('');
});

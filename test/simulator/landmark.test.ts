import { expect, it } from 'vitest';
import { allIn, type Element, inside, textIn } from '../../simulator/xml.ts';
import { requestText, simulating } from './call.ts';

const landmark = simulating('landmark');
const request = (name: string): string => requestText('landmark', name).replaceAll('example-', 'simulated-');
const ask = async (name: 'Ship' | 'Track', body: string | URLSearchParams): Promise<Element> => {
  const { status, root } = await landmark.ask('POST', `/${name}.php`, body);
  expect(status).toBe(200);
  return root!;
};
const EVENT = ['Result', 'Packages', 'Package', 'Events', 'Event'] as const;

it('takes the document as a form field too, and links the labels unless told otherwise', async () => {
  const text = request('one-package').replace(/<LabelEncoding>.*<\/LabelEncoding>/, '');
  const root = await ask('Ship', new URLSearchParams({ RQXML: text }));
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
  await ask('Ship', request('one-package'));
  const root = await ask('Ship', request('one-package').replace(from, to));
  expect(root.local).toMatch(/Response$/);
  const messages = allIn(inside(root, 'Errors'), 'Error').map((one) => textIn(one, 'ErrorMessage'));
  expect(messages).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  expect(landmark.simulator.shipments('landmark')).toHaveLength(1);
});

it('tells events in the time of Chicago, with codes only when asked for all', async () => {
  await ask('Ship', request('three-packages'));
  const [{ reference } = { reference: '' }] = landmark.simulator.shipments('landmark');
  const track = request('lookup').replace(/<Reference>.*<\/Reference>/, `<Reference>${reference}</Reference>`);
  const event = inside(await ask('Track', track), ...EVENT);
  expect([textIn(event, 'DateTime'), textIn(event, 'EventCode')]).toEqual(['2026-05-01 03:00:00', '75']);
  expect(textIn(await ask('Track', track.replace('Historical', '')), ...EVENT, 'EventCode')).toBe('');
});

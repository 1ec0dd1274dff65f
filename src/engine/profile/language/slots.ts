import { isDate } from '../../validate.ts';

import * as f from './field.ts';
import { zones } from './zones.ts';

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

const clock = (description: string, example: string) =>
  f.name('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'be a time of day, such as 08:30', description, example);
const dayIssue = f.unless(isDate, 'is no day', 'such as 2026-12-25');

const window = f.group('A time of day in which deliveries are made, and how many.', {
  example: ['from', 'to', 'capacity'],
  required: ['from', 'to', 'capacity'],
})({
  from: clock('When it begins, local to the slots’ time zone.', '08:00'),
  to: clock('When it ends, on the same day.', '12:00'),
  capacity: f.integer([1, 100_000], 'Consignments that it takes a day, in each zone.', 20),
  weekdays: f.list(f.word(WEEKDAYS, 'A day of the week.', 'MON'), 'Days on which there is one.', ['MON', 'TUE'], {
    notEmpty: true,
    default: [...WEEKDAYS],
  }),
  zones: f.list(f.plain('A name of `slots.zones`.', 'north'), 'Zones in which there is one.', ['north'], {
    notEmpty: true,
    otherwise: 'all',
  }),
  services: f.list(f.plain('A name of `services`.', 'Express'), 'Services for which there is one.', ['Express'], {
    notEmpty: true,
    otherwise: 'all',
  }),
});

/** Delivery slots that shippers reserve. */
export const slots = f.group('Delivery slots that shippers reserve before they order.', {
  example: ['zones', 'windows'],
  required: ['zones', 'windows'],
})({
  zones: { ...zones, minProperties: 1 },
  windows: f.mapOf(
    window,
    'Windows of a day, by name.',
    { morning: { from: '08:00', to: '12:00', capacity: 20 } },
    { names: f.NAMES, notEmpty: true },
  ),
  ahead: f.duration('How far ahead slots are offered.', '14d', { default: '14d' }),
  notice: f.duration('How long before it begins a slot closes.', '12h', { default: '12h' }),
  hold: f.duration('How long a reservation holds until it is confirmed.', '30m', { default: '15m' }),
  closed: f.list(f.plain('A day.', '2026-12-25', { issue: dayIssue }), 'Days without slots.', ['2026-12-25'], {
    default: [],
  }),
});

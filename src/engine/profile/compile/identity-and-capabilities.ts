import { isTimeZone } from '../../time-zone.ts';
import { unreadableFormat } from '../../mapping/time-format.ts';
import type { Capabilities, Carrier, LabelFormat, OrderType, ServiceRow } from '../carrier.ts';
import { DEFAULT_CAPABILITIES, DEFAULT_LABEL_RETRY, DEFAULT_TIME } from '../defaults.ts';
import { readScalar } from '../scalar-forms.ts';
import { entriesOf, itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { durationOf, flagOf, numberOf, textOf, textsOf, wordOf } from './layers.ts';

/** What a profile says in plain values: who the carrier is, and what it can do. */

const ordersOf = (node: Node | undefined): readonly OrderType[] | undefined =>
  textsOf(node)?.filter((word): word is OrderType => word === 'FORWARD' || word === 'REVERSE');

export const compileCapabilities = (profile: Node): Capabilities => {
  const node = valueOf(profile, 'capabilities');
  return {
    fleet: wordOf(valueOf(node, 'fleet'), ['outsourced', 'own']) ?? DEFAULT_CAPABILITIES.fleet,
    bulky: flagOf(valueOf(node, 'bulky')) ?? DEFAULT_CAPABILITIES.bulky,
    orders: ordersOf(valueOf(node, 'orders')) ?? DEFAULT_CAPABILITIES.orders,
    maxPackages: numberOf(valueOf(node, 'maxPackages')) ?? DEFAULT_CAPABILITIES.maxPackages,
    vas: textsOf(valueOf(node, 'vas')) ?? DEFAULT_CAPABILITIES.vas,
    cod: flagOf(valueOf(node, 'cod')) ?? DEFAULT_CAPABILITIES.cod,
    from: textsOf(valueOf(node, 'from')) ?? DEFAULT_CAPABILITIES.from,
    to: textsOf(valueOf(node, 'to')) ?? DEFAULT_CAPABILITIES.to,
  };
};

export const compileServices = (context: Context, profile: Node): ReadonlyMap<string, ServiceRow> | undefined => {
  const node = valueOf(profile, 'services');
  if (node === undefined) return undefined;
  const rows = new Map<string, ServiceRow>();
  for (const { key, value } of entriesOf(node)) {
    const typeOfService = wordOf(valueOf(value, 'typeOfService'), ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY']);
    if (typeOfService === undefined) continue;
    const name = key.text;
    if (rows.has(name.toLowerCase())) {
      context.findings.error('repeated-key', key.place, `there is a service "${name}" already`, 'case does not count');
    }
    const [code, orders] = [textOf(valueOf(value, 'code')), ordersOf(valueOf(value, 'orders'))];
    rows.set(name.toLowerCase(), { name, typeOfService, code, orders });
  }
  return rows;
};

export const compileTables = (profile: Node): Carrier['tables'] =>
  Object.fromEntries(
    entriesOf(valueOf(profile, 'tables')).map(({ key, value }) => [
      key.text,
      Object.fromEntries(entriesOf(value).map((row) => [row.key.text, dataOf(row.value)])),
    ]),
  );

const dataOf = (node: Node): unknown => {
  if (node.kind === 'list') return node.items.map(dataOf);
  if (node.kind === 'map')
    return Object.fromEntries(node.entries.map((entry) => [entry.key.text, dataOf(entry.value)]));
  const reading = readScalar(node);
  return reading.ok ? reading.value : node.text;
};

export const compileTime = (context: Context, profile: Node): Carrier['time'] => {
  const node = valueOf(profile, 'time');
  const zone = valueOf(node, 'zone');
  const name = textOf(zone);
  if (zone !== undefined && name !== undefined && !isTimeZone(name)) {
    context.findings.error('wrong-value', zone.place, `"${name.slice(0, 60)}" is no time zone`, 'like Europe/Berlin');
  }
  for (const format of itemsOf(valueOf(node, 'formats'))) {
    const reason = unreadableFormat(textOf(format) ?? 'iso');
    if (reason !== undefined)
      context.findings.error('wrong-value', format.place, `times cannot be read by this: ${reason}`);
  }
  const formats = (textsOf(valueOf(node, 'formats')) ?? []).filter((format) => format !== 'iso');
  return { zone: name ?? DEFAULT_TIME.zone, formats: [...formats, ...DEFAULT_TIME.formats] };
};

const FORMATS: readonly LabelFormat[] = ['PDF', 'ZPL', 'PNG'];

export const compileLabels = (profile: Node): Carrier['labels'] => {
  const node = valueOf(profile, 'labels');
  const words = textsOf(valueOf(node, 'formats')) ?? [];
  const [best = 'PDF', ...others] = words.flatMap((word) => FORMATS.find((format) => format === word) ?? []);
  const retry = valueOf(node, 'retry');
  return {
    formats: [best, ...others],
    retry: {
      waitMs: durationOf(valueOf(retry, 'wait')) ?? DEFAULT_LABEL_RETRY.waitMs,
      maxMs: durationOf(valueOf(retry, 'max')) ?? DEFAULT_LABEL_RETRY.maxMs,
      untilMs: durationOf(valueOf(retry, 'until')) ?? DEFAULT_LABEL_RETRY.untilMs,
    },
  };
};

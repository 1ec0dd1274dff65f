import type { Tariff, TariffService } from '../../rates/tariff.ts';
import { tariff as TARIFF, tariffService } from '../language/rates.ts';
import { entriesOf, itemsOf, type Node, type ScalarNode, textOf, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { compilePriceTable } from './price-table.ts';
import {
  checkZoneName,
  compileZones,
  csvAt,
  type NamedServices,
  readRateFile,
  serviceAt,
  type Zones,
} from './rate-files.ts';
import { read } from './read.ts';

const PER_PACKAGE = 'price the services `per: package`, or take `per: package` out of the surcharge';
const SITE = { position: 'surcharge' } as const;

/** `named`: what the profile says, a name or a list of them. */
export const compileTariffs = (
  context: Context,
  named: Node | undefined,
  services: NamedServices,
): readonly { readonly tariff: Tariff; readonly zones: Zones }[] => {
  const nodes = named?.kind === 'list' ? itemsOf(named) : named === undefined ? [] : [named];
  const compiled = nodes.flatMap((node) => {
    const one = node.kind === 'scalar' ? compileTariff(context, node, services) : undefined;
    return one === undefined ? [] : [{ ...one, node }];
  });
  const byDay = compiled.toSorted((one, other) => ((one.tariff.from ?? '') < (other.tariff.from ?? '') ? -1 : 1));
  byDay.forEach(({ tariff: { from = '', name }, node }, at) => {
    const before = byDay[at - 1]?.tariff;
    if (before === undefined) return;
    const end = before.to ?? '9999-12-31';
    if (from <= end) {
      const message = `on ${from === '' ? 'days' : from} tariff ${before.name} holds as well as ${name}`;
      context.findings.report('overlap', node.place, message, 'let one end (`to`) before the other begins (`from`)');
    } else if (dayAfter(end) < from) {
      const message = `from ${dayAfter(end)} until ${name} begins on ${from}, no tariff holds`;
      context.findings.report('gap', node.place, message);
    }
  });
  return byDay;
};

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

const compileTariff = (context: Context, named: ScalarNode, services: NamedServices) => {
  const root = readRateFile(context, 'tariffs', named, TARIFF);
  const keys = read(context, TARIFF, root, SITE);
  if (root === undefined || keys === undefined) return undefined;
  const { findings } = context;
  const { currency, from, to, fuel, tax, surcharges } = keys;
  const end = valueOf(root, 'to');
  if (from !== undefined && to !== undefined && to < from && end !== undefined)
    findings.report('wrong-value', end.place, `${to} is before ${from}, when it begins`);
  const zones = compileZones(context, 'tariffs', root, keys.zones);
  const priced = entriesOf(valueOf(root, 'services')).flatMap(({ key, value }): readonly TariffService[] => {
    const service = serviceAt(context, key, services);
    const written = read(context, tariffService, [value, root], SITE);
    const lines = written && csvAt(context, 'tariffs', written.prices);
    if (service === undefined || written === undefined || lines === undefined) return [];
    const { prices: _, ...rest } = written;
    return [{ ...rest, service, place: key.place, table: compilePriceTable(context, lines, zones) }];
  });
  // A column whose zone is misspelt may be meant for it.
  const misnamed = findings.list().some(({ rule }) => rule === 'unknown-zone');
  for (const { key } of entriesOf(valueOf(root, 'zones')))
    if (!misnamed && priced.length > 0 && priced.every(({ table }) => !table.columns.has(key.text)))
      findings.report('gap', key.place, `no service has a price for zone "${key.text}"`, 'add a column, or remove it');
  for (const { key } of entriesOf(valueOf(root, 'tax'))) if (key.text !== '*') checkZoneName(context, key, zones);
  for (const surcharge of itemsOf(valueOf(root, 'surcharges'))) {
    for (const zone of itemsOf(valueOf(surcharge, 'zones'))) checkZoneName(context, zone as ScalarNode, zones);
    for (const service of itemsOf(valueOf(surcharge, 'services'))) serviceAt(context, service as ScalarNode, services);
    const [per, percent] = [valueOf(surcharge, 'per'), valueOf(surcharge, 'percent')];
    if (textOf(per) === 'package' && percent !== undefined && priced.some((one) => one.per === 'consignment'))
      findings.report('wrong-value', percent.place, 'a consignment with one price has none by package', PER_PACKAGE);
  }
  const tariff: Tariff = {
    name: named.text,
    place: root.place,
    currency,
    from,
    to,
    fuel,
    tax,
    surcharges,
    zones: zones.table,
    services: priced,
  };
  return { tariff, zones };
};

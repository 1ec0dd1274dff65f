import type { Transit, TransitService } from '../../rates/transit.ts';
import { transit as TRANSIT, WEEKDAYS } from '../language/rates.ts';
import { entriesOf, itemsOf, type Node, textOf, valueOf } from '../tree.ts';
import type { Context } from './context.ts';
import { checkZoneName, compileZones, type NamedServices, readRateFile, serviceAt, type Zones } from './rate-files.ts';
import { read } from './read.ts';

/** `zones`: those of the tariff, which hold where the file has none. */
export const compileTransit = (
  context: Context,
  named: Node | undefined,
  services: NamedServices,
  zonesOfTariff: Zones | undefined,
): Transit | undefined => {
  if (named?.kind !== 'scalar') return undefined;
  const root = readRateFile(context, 'transit', named, TRANSIT);
  const keys = read(context, TRANSIT, root, { position: 'surcharge' });
  if (root === undefined || keys === undefined) return undefined;
  const { findings } = context;
  const own = keys.zones === undefined ? undefined : compileZones(context, 'transit', root, keys.zones);
  const zones = own ?? zonesOfTariff ?? { names: new Set<string>(), table: new Map() };
  // Those of the tariff of whoever names it.
  const isOpen = services === undefined && own === undefined;
  for (const node of itemsOf(valueOf(root, 'open'))) {
    const day = textOf(node) ?? '';
    if (keys.closed.includes(day)) findings.report('overlap', node.place, `on ${day} it is closed as well as open`);
  }
  const compiled = new Map<string, TransitService>();
  for (const { key, value } of entriesOf(valueOf(root, 'services'))) {
    const service = serviceAt(context, key, services);
    const written = keys.services[key.text];
    if (service === undefined || written === undefined) continue;
    compiled.set(service.name.toLowerCase(), written);
    const by = valueOf(value, 'by');
    if (by !== undefined && written.from !== undefined && written.by !== undefined && written.by <= written.from)
      findings.report('wrong-value', by.place, `delivery ends at ${written.by}, but begins at ${written.from}`);
    for (const days of entriesOf(valueOf(value, 'days'))) {
      if (days.key.text !== '*' && !isOpen) checkZoneName(context, days.key, zones);
      const { from = 0, to = 0 } = written.days[days.key.text] ?? {};
      if (to < from)
        findings.report('wrong-value', days.value.place, `${to} days are fewer than ${from}`, `write ${to}-${from}`);
    }
  }
  const cutOffs = WEEKDAYS.map((day, at) => {
    const span = (['mon-fri', 'mon-sat', 'mon-sun'] as const).find(
      (key) => keys.cutOff[key] !== undefined && at < 5 + SPANS.indexOf(key),
    );
    return keys.cutOff[day] ?? (span && keys.cutOff[span]);
  });
  return {
    name: named.text,
    place: root.place,
    timeZone: keys.timeZone,
    cutOffs,
    delivery: WEEKDAYS.map((day) => keys.delivery.includes(day)),
    holidays: keys.holidays,
    closed: new Set(keys.closed),
    open: new Set(keys.open),
    zones: zones.table,
    services: compiled,
  };
};

const SPANS: readonly string[] = ['mon-fri', 'mon-sat', 'mon-sun'];

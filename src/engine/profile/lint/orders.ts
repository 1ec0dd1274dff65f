/** What a profile says of orders: the services, slots and value-added services that it names. */
import { serviceNames } from '../../consignment/service.ts';
import { meaningOf, VAS_CATALOGUE } from '../../consignment/vas.ts';
import type { Place } from '../../failure.ts';
import { type Ast, walk } from '../../jsonata/parse.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { entriesOf, itemsOf, textOf, valueOf } from '../tree.ts';
import { type LintInput, placeOfNode, type Rule } from './rule.ts';

/** wrong-value: `requires` or a window of `slots` for a service that there is not. */
const neededServices: Rule = ({ carrier, profile, findings }) => {
  const names = serviceNames(carrier);
  const windows = entriesOf(valueOf(profile, 'slots', 'windows')).map(({ value }) => value);
  for (const needed of [...itemsOf(valueOf(profile, 'requires')), ...windows]) {
    for (const node of itemsOf(valueOf(needed, 'services'))) {
      const name = textOf(node) ?? '';
      if (names.some((known) => known.toLowerCase() === name.toLowerCase())) continue;
      findings.report('wrong-value', node.place, `there is no service "${name.slice(0, 60)}"`, didYouMean(name, names));
    }
  }
};

/** wrong-value: windows that end before they begin or lie in no zone, and slots that close before they are offered. */
const slotWindows: Rule = ({ carrier: { slots }, profile, findings }) => {
  if (slots === undefined) return;
  const node = valueOf(profile, 'slots');
  const zones = Object.keys(slots.zones);
  for (const { key, value } of entriesOf(valueOf(node, 'windows'))) {
    const [from = '', to = ''] = [textOf(valueOf(value, 'from')), textOf(valueOf(value, 'to'))];
    if (from.length === to.length && from >= to) {
      const message = `the window ends at ${to}, before it begins`;
      findings.report(
        'wrong-value',
        (valueOf(value, 'to') ?? key).place,
        message,
        'split one that lasts past midnight',
      );
    }
    for (const zone of itemsOf(valueOf(value, 'zones'))) {
      const name = textOf(zone) ?? '';
      if (zones.includes(name)) continue;
      findings.report('wrong-value', zone.place, `slots has no zone "${name.slice(0, 60)}"`, didYouMean(name, zones));
    }
  }
  const { aheadMs, noticeMs } = slots;
  const at = (valueOf(node, 'notice') ?? valueOf(node, 'ahead'))?.place;
  if (aheadMs <= noticeMs && at !== undefined)
    findings.report('wrong-value', at, 'slots close before they are offered', 'make ahead longer than notice');
};

/** unknown-vas: a service that is offered, or asked for by an expression, of which nobody knows what it means. */
const unknownVas: Rule = ({ carrier, profile, uses, findings }) => {
  const check = (code: string, place: Place): void => {
    if (meaningOf(carrier.vas, code) !== undefined) return;
    const meant = didYouMean(code, [...Object.keys(carrier.vas), ...Object.keys(VAS_CATALOGUE)]);
    const help = meant?.startsWith('did') === true ? meant : 'say under vas what it means';
    findings.report('unknown-vas', place, `"${code.slice(0, 60)}" is in no catalogue`, help);
  };
  for (const node of itemsOf(valueOf(profile, 'capabilities', 'vas'))) check(textOf(node) ?? '', node.place);
  // Where the carrier says what it offers, another code is an impossible comparison.
  if (carrier.capabilities.vas === undefined)
    for (const { source, tree } of uses)
      for (const literal of codesCompared(tree)) check(String(literal.value), placeOfNode(source, literal));
};

const isCode = ({ type, steps }: Ast): boolean => type === 'path' && steps?.at(-1)?.value === 'vasCode';

/** Texts that an expression compares with `vasCode`. */
const codesCompared = (tree: Ast): readonly Ast[] => {
  const found: Ast[] = [];
  walk(tree, ({ type, value, lhs, rhs }) => {
    if (type !== 'binary' || !['=', '!=', 'in'].includes(String(value)) || rhs === undefined) return;
    const sides = [lhs as Ast, rhs];
    if (sides.some(isCode))
      for (const side of sides) walk(side, (node) => void (node.type === 'string' && found.push(node)));
  });
  return found;
};

/** unused: services that are offered, though no expression reads which ones an order asks for. */
const unreadVas: Rule = ({ carrier, profile, findings, ...input }) => {
  const offered = valueOf(profile, 'capabilities', 'vas');
  if (offered === undefined || carrier.capabilities.vas?.length === 0 || readsVas(input)) return;
  const help = 'send them, or offer none: vas: []';
  findings.report('unused', offered.place, 'no expression reads the value-added services of an order', help);
};

/** Also where all of the consignment is handed on. */
const readsVas = ({ uses }: Pick<LintInput, 'uses'>): boolean =>
  uses.some(({ tree }) => {
    let found = false;
    const within = new Set<Ast>();
    walk(tree, (node) => {
      const { type, value, steps = [] } = node;
      for (const step of steps.length > 1 ? steps : []) within.add(step);
      const isWhole = (type === 'name' || type === 'variable') && value === 'consignment' && !within.has(node);
      found ||= isWhole || (type === 'name' && value === 'vas');
    });
    return found;
  });

export const ORDER_RULES: readonly Rule[] = [neededServices, slotWindows, unknownVas, unreadVas];

/** What of an operation is looked up, repeated or undone for nothing, and what is never undone. */
import { isOperation, operationsOf, READS } from '../carrier.ts';
import { entriesOf, entryOf, isNull, itemsOf, type Node, valueOf } from '../tree.ts';
import type { Rule } from './rule.ts';

/** no-effect: what no run ever comes to. */
export const noEffect: Rule = ({ carrier, profile, findings }) => {
  const operations = valueOf(profile, 'operations');
  const report = (node: Node | undefined, name: string, message: string, help = 'remove it'): void => {
    const entry = node && entryOf(node, name);
    if (entry !== undefined && !isNull(entry.value)) findings.report('no-effect', entry.key.place, message, help);
  };
  const create = carrier.operations.create?.steps ?? [];
  const isAsked = operationsOf(carrier).some(({ name, steps }) => name === 'create' && steps.length === 1);
  if (create.length > 0 && !isAsked) {
    const help = 'write it as the lookup of the step that it asks about';
    report(operations, 'lookup', 'the operation lookup is called only for creates of one step', help);
  } else if (create.length === 1 && create[0]?.lookup?.yieldsBody === true)
    report(operations, 'lookup', 'the step of the create has a lookup of its own, which is called in its place');
  for (const { key, value: node } of entriesOf(operations)) {
    const operation = isOperation(key.text) ? carrier.operations[key.text] : undefined;
    const written = itemsOf(valueOf(node, 'steps'));
    const last = written.at(-1) ?? node;
    const all = [...new Set([node, ...written])];
    const { steps = [] } = operation ?? {};
    const isRead = READS.has(key.text);
    const isLastAlone = !isRead && steps.at(-1)?.forEach === undefined;
    const isLastInParts =
      key.text === 'create' && steps.at(-1)?.forEach !== undefined && steps.at(-1)?.partial === true;
    for (const one of all) {
      if (isRead) {
        report(one, 'undo', `nothing is undone of ${key.text}, which changes nothing at the carrier`);
        report(one, 'idempotency', `${key.text} is simply repeated, whatever the carrier promises`);
        report(one, 'lookup', `${key.text} is simply repeated, whatever became of it`);
      }
      const isTold = key.text === 'create' || (key.text === 'update' && operation?.result !== undefined);
      if (!isTold) report(one, 'bestEffort', `nobody would see the warning: ${key.text} yields no result`);
      else if (steps.length === 1)
        report(one, 'bestEffort', `${key.text} has no other step, and is nothing without it`);
      if (!isLastInParts || (one !== last && one !== node)) {
        const help = 'it belongs to the last step of create, with forEach; elsewhere declare an undo';
        report(one, 'partial', 'no create is ever kept in part by this', help);
      }
    }
    if (isLastAlone) {
      const help = 'it belongs to an earlier step, or to one with forEach';
      report(last, 'undo', 'nothing can fail after this call, so that it is never undone', help);
    } else if (isLastInParts)
      report(last, 'undo', 'what succeeds of a partial create is kept, so that it is never undone');
    for (const [at, step] of steps.entries()) {
      const { by, forMs } = step.idempotency ??
        (operation?.variants[step.variant ?? -1]?.operation ?? operation)?.idempotency ?? { by: 'none' };
      if (isRead || by === 'none' || forMs !== undefined || step.lookup === undefined) continue;
      const help = 'remove it, or say for how long the carrier knows a repeat (idempotency.for)';
      const where = step.lookup.yieldsBody === true ? (written[at] ?? node) : operations;
      report(
        where,
        'lookup',
        'a call of unknown outcome is repeated, as the carrier knows a repeat: none is looked up',
        help,
      );
    }
  }
};

/** no-effect: what a rule says of an answer that nothing is told of. */
export const silentSuccess: Rule = ({ outcomeLists, findings }) => {
  for (const rule of new Set(outcomeLists.flat())) {
    const unused = [rule.code, rule.messages, rule.fields].find((said) => said !== undefined);
    if (rule.do === 'succeed' && unused !== undefined)
      findings.report(
        'no-effect',
        unused.place,
        'nobody is told what an answer says that counts as a success',
        'remove it',
      );
  }
};

/** missing-undo: a failure takes back what an earlier step did, and leaves what this one did. */
export const missingUndo: Rule = ({ carrier, findings }) => {
  for (const { name, steps } of operationsOf(carrier)) {
    const first = steps.find(({ undo }) => undo.length > 0);
    const last = steps.findLast(({ bestEffort }) => !bestEffort);
    for (const [at, { place, undo, undoneBy, method, forEach, partial, bestEffort }] of steps.entries()) {
      if (undoneBy !== undefined && !steps.slice(0, at).some((one) => one.id === undoneBy && one.undo.length > 0)) {
        const help = 'name a step before this one that has an undo of its own';
        findings.report('undeclared-field', place, `no earlier step "${undoneBy}" has an undo`, help);
      }
      const isLast = steps[at] === last && (forEach === undefined || partial);
      const isSafe = undo.length > 0 || undoneBy !== undefined || method === 'GET' || bestEffort || isLast;
      if (name !== 'create' || first === undefined || at < steps.indexOf(first) || isSafe) continue;
      const message = 'if a later call fails, what this step did stays at the carrier, and the order is held';
      const help = `declare an undo, or \`undo: ${first.id}\` where that step’s takes this one back, too`;
      findings.report('missing-undo', place, message, help);
    }
  }
};

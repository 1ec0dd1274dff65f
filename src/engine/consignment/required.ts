/** What a carrier needs of a consignment beyond what every order has: named by its profile, checked before anything is sent. */
import type { FindingCode } from '../error-codes.ts';
import { isTrue } from '../dispatch/classify.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import { type Issue, issueAt } from '../validate.ts';
import type { Consignment } from './consignment.ts';
import { missingAt } from './translation.ts';
import { meaningOf } from './vas.ts';

const FINDINGS_MAX = 100;

/** What the carrier, or a value-added service, needs and the consignment lacks: one finding a field. */
export const lackingIssues = async (
  { code, name, requires, vas, tables, time }: Pick<Carrier, 'code' | 'name' | 'requires' | 'vas' | 'tables' | 'time'>,
  consignment: Consignment,
  service: ServiceRow,
  nowMs: number,
): Promise<readonly Issue[]> => {
  const issues = new Map<string, Issue>();
  const need = (fields: readonly string[], by: FindingCode, says: string): void => {
    for (const path of fields.flatMap((field) => missingAt(consignment, field)))
      if (!issues.has(path)) issues.set(path, issueAt(path, by, says));
  };
  const evaluation = { tables, time, nowMs, drawn: () => '' };
  const holds = async ({ when, services, operations }: Carrier['requires'][number]): Promise<boolean> => {
    if (services?.every((name) => name.toLowerCase() !== service.name.toLowerCase()) === true) return false;
    if (operations?.every((name) => name.toUpperCase() !== consignment.typeOfAction) === true) return false;
    try {
      return when === undefined || isTrue(await when.evaluate({ consignment, service, tables }, evaluation));
    } catch {
      // Of an order that the condition cannot be asked of, too much is asked rather than too little.
      return true;
    }
  };
  for (const requirement of requires)
    if (await holds(requirement)) need(requirement.fields, 'carrier_needs', `is needed by ${name ?? code}`);
  for (const vasCode of new Set(consignment.vas?.map(({ vasCode = '' }) => vasCode)))
    need(meaningOf(vas, vasCode)?.requires ?? [], 'vas_needs', `is needed by the value-added service ${vasCode}`);
  return [...issues.values()].slice(0, FINDINGS_MAX);
};

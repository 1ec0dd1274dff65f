/** An order as policies see it: flat, of no carrier yet, with what the shipper wishes. */
import { type Consignment, type LabelFormat, TYPES_OF_SERVICE } from '../../engine/consignment/consignment.ts';
import { readOrder } from '../../engine/consignment/read.ts';
import { translate } from '../../engine/consignment/translate.ts';
import { Failure } from '../../engine/failure.ts';
import { AUTO } from '../../engine/policy/fits.ts';
import { isMap, valueAt } from '../../engine/value.ts';
import { CaseEnded, collectProblems } from '../cases/report.ts';
import { consignmentOf } from '../cases/story.ts';

export interface WishedOrder {
  readonly consignment: Consignment;
  readonly serviceType: string | undefined;
  readonly labelFormat: LabelFormat | undefined;
}

/** Of the body of a create, or of a consignment of the contract. Throws a `Failure` for what is neither. */
export const orderOf = (given: unknown): WishedOrder => {
  if (!isMap(given)) throw new Failure('an order must be a map', { code: 'payload_unusable' });
  return isMap(given['consignmentDetails']) ? ofCreate(given) : ofConsignment(given);
};

const ofCreate = (given: Readonly<Record<string, unknown>>): WishedOrder => {
  const details = { serviceType: AUTO, ...(given['consignmentDetails'] as object) };
  const carrier = { ...(isMap(given['carrier']) ? given['carrier'] : {}), code: AUTO };
  const read = readOrder({ ...given, consignmentDetails: details, carrier }, 'OP');
  if (!read.ok) throw new Failure(read.issues.map(({ message }) => message).join('; '), { code: 'payload_unusable' });
  const { serviceType, labelFormat } = read.value.consignmentDetails;
  const typeOfService = TYPES_OF_SERVICE.find((one) => one === serviceType.toUpperCase()) ?? 'STANDARD';
  const context = {
    operation: 'create',
    carrierCode: AUTO,
    service: { typeOfService },
    labelFormat: labelFormat ?? 'PDF',
  } as const;
  return { consignment: translate(read.value, context), serviceType, labelFormat };
};

const ofConsignment = (given: Readonly<Record<string, unknown>>): WishedOrder => {
  const problems = collectProblems(() => ({ file: '', line: 0, column: 0 }));
  try {
    const as = { code: AUTO, labels: { formats: ['PDF'] as const } };
    const consignment = consignmentOf(given, as, undefined, problems) as Consignment;
    return {
      consignment,
      serviceType: undefined,
      labelFormat: valueAt(given, 'labelFormat') as LabelFormat | undefined,
    };
  } catch (thrown) {
    if (!(thrown instanceof CaseEnded)) throw thrown;
    throw new Failure(
      problems
        .list()
        .map(({ message }) => message)
        .join('; '),
      { code: 'payload_unusable' },
    );
  }
};

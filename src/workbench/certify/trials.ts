/** The requests that an endpoint is tried with, in their order. */
import { type Fields, itemsOf, MANDATORY, ofItems, withoutFields } from './consignments.ts';

export interface Trial {
  /** What is special about the request. */
  readonly title: string;
  readonly action: 'create' | 'update' | 'cancel';
  readonly expects: 'success' | 'refusal' | 'denial';
  /** Made of a consignment that the endpoint took, once it has. */
  readonly change: (plain: Fields) => Fields;
  /** About the shipment of an earlier trial, under its reference; sent only if that one was accepted. */
  readonly of?: string;
  /** How it fails to authenticate. */
  readonly proof?: 'missing' | 'wrong' | undefined;
  /** Its labels are fetched. */
  readonly hasLabels?: true;
}

const create = (title: string, change: Trial['change']): Trial => ({
  title,
  action: 'create',
  expects: 'success',
  change,
});
const saying = (fields: Fields): Trial => {
  const [[field, value] = []] = Object.entries(fields);
  return create(`${field} ${String(value)}`, (plain) => ({ ...plain, ...fields }));
};
const labelled = (labelFormat: string): Trial => ({ ...saying({ labelFormat }), hasLabels: true });
const refused = (title: string, change: Trial['change']): Trial => ({ ...create(title, change), expects: 'refusal' });
const denied = (proof: 'missing' | 'wrong'): Trial => {
  return { ...create(`${proof} credentials`, same), expects: 'denial', proof };
};
const same = (plain: Fields): Fields => plain;

const UNKNOWN = { unknownText: 'to be ignored', unknownList: [1, 2], unknownMap: { deep: true } };

/** What the others are made of: the first that is accepted. */
export const FIRST: Readonly<Record<'mandatory' | 'complete', Trial>> = {
  mandatory: { ...create('the mandatory fields alone', same), hasLabels: true },
  complete: { ...create('every field of the contract', same), hasLabels: true },
};

export const FURTHER: Readonly<Record<string, Trial>> = {
  unknown: create('unknown fields', (plain) => ofItems({ ...plain, ...UNKNOWN }, (item) => ({ ...item, ...UNKNOWN }))),
  several: {
    ...create('three packages', (plain) => ({
      ...plain,
      numberOfShipments: 3,
      totalQuantity: 3,
      totalWeight: 7.5,
      itemList: [1, 2, 3].map((number) => ({ ...itemsOf(plain)[0], itemReferenceNumber: `PKG-${number}` })),
    })),
    hasLabels: true,
  },
  zpl: labelled('ZPL'),
  png: labelled('PNG'),
  reverse: saying({ typeOfOrder: 'REVERSE' }),
  ground: saying({ typeOfService: 'GROUND' }),
  express: saying({ typeOfService: 'EXPRESS' }),
  economy: saying({ typeOfService: 'ECONOMY' }),
  pounds: create('weights in LB', (plain) =>
    ofItems({ ...plain, uomTotalWeight: 'LB' }, (item) => ({ ...item, itemWeightUom: 'LB' })),
  ),
  basic: labelled('PDF'),
  repeat: { ...create('the same CREATE again', (plain) => ({ ...plain, labelFormat: 'PDF' })), of: 'basic' },
  update: {
    ...create('an UPDATE', (plain) => ({ ...plain, labelFormat: 'PDF', destinationContactNumber: '+49305550199' })),
    action: 'update',
    of: 'basic',
  },
  cancel: { ...create('a CANCEL', same), action: 'cancel', of: 'basic' },
  updateUnknown: { ...refused('an UPDATE of an unknown referenceId', same), action: 'update' },
  incomplete: refused('neither packages nor destination', (plain) =>
    withoutFields(plain, (name) => name === 'itemList' || name.startsWith('destination')),
  ),
  invalid: refused('impossible values', (plain) => ({
    ...plain,
    totalWeight: 'heavy',
    typeOfOrder: 'SIDEWAYS',
    shippingDateTime: 'soon',
  })),
  unproven: denied('missing'),
  misproven: denied('wrong'),
};

/** Each mandatory field left out, one at a time. */
const lacking = (field: string, of = ''): readonly [string, Trial] => {
  const leave = (fields: Fields): Fields => withoutFields(fields, (name) => name === field);
  const title = `no ${of}${field}`;
  return [title, refused(title, of === '' ? leave : (plain) => ofItems(plain, leave))];
};
export const LACKING: Readonly<Record<string, Trial>> = Object.fromEntries([
  ...MANDATORY.fields.map((field) => lacking(field)),
  ...MANDATORY.ofPackage.map((field) => lacking(field, 'itemList.')),
]);

/** Customs documents of a consignment, as PDF: from its SKUs and the fields of docs/fields.md. */
import { setImmediate } from 'node:timers/promises';
import type { Consignment } from '../consignment/consignment.ts';
import { missingAt } from '../consignment/translation.ts';
import { countryName } from '../mapping/functions/country.ts';
import { roundAmount } from '../rates/offer.ts';
import { type Issue, issueAt } from '../validate.ts';
import { addressLines } from './address.ts';
import type { Fonts } from './fonts.ts';
import type { Page, Printed } from './layout.ts';
import { A4, createSheet } from './sheet.ts';

type Sku = NonNullable<Consignment['skuList']>[number];

export const CUSTOMS_DOCUMENTS = ['commercial-invoice', 'cn22', 'cn23'] as const;
export type CustomsDocument = (typeof CUSTOMS_DOCUMENTS)[number];

interface Form {
  readonly title: string;
  readonly page: Page;
  /** Rows of goods a page. */
  readonly rows: number;
  /** A form for each package, not one for all. */
  readonly isOfPackage: boolean;
  readonly needs: readonly string[];
}

const GOODS = [
  'info.reasonForExport',
  'skuList',
  'skuList.skuItemUnitPrice',
  'skuList.skuHsnCode',
  'skuList.skuOriginCountry',
];
const WEIGHED = [...GOODS, 'skuList.skuWeight', 'skuList.skuWeightUom'];
const FORMS: Readonly<Record<CustomsDocument, Form>> = {
  'commercial-invoice': {
    title: 'COMMERCIAL INVOICE',
    page: A4,
    rows: 14,
    isOfPackage: false,
    needs: ['info.customsInvoiceNumber', 'info.incoterm', ...GOODS],
  },
  cn22: {
    title: 'CUSTOMS DECLARATION CN 22',
    page: { width: 105, height: 148 },
    rows: 5,
    isOfPackage: true,
    needs: WEIGHED,
  },
  cn23: { title: 'CUSTOMS DECLARATION CN 23', page: A4, rows: 14, isOfPackage: true, needs: WEIGHED },
};

/** What the document needs and the order lacks, by the shipper's fields. */
export const lackingOf = (kind: CustomsDocument, consignment: Consignment): readonly Issue[] => {
  const { info, currencyCode } = consignment;
  const currency = info?.currency === undefined && currencyCode === undefined ? ['info.currency'] : [];
  return [...FORMS[kind].needs, ...currency]
    .flatMap((field) => missingAt(consignment, field))
    .map((path) => issueAt(path, 'required', `is needed by the document ${kind}`));
};

export interface Declared {
  readonly consignment: Consignment;
  /** Of the packages, in their order, as far as there are any. */
  readonly trackingNumbers: readonly (string | undefined)[];
  readonly fonts: Fonts;
  readonly nowMs: number;
}

/** Of a consignment that lacks nothing. */
export const drawCustoms = async (kind: CustomsDocument, declared: Declared): Promise<Buffer> => {
  const form = FORMS[kind];
  const { itemList, skuList = [] } = declared.consignment;
  const parts = form.isOfPackage
    ? itemList.map(({ itemReferenceNumber: name }, at) => ({
        skus: skuList.filter(({ itemReferenceNumber }) => itemReferenceNumber === name),
        numbers: [declared.trackingNumbers[at]],
      }))
    : [{ skus: skuList, numbers: declared.trackingNumbers }];
  const drawn = parts
    .filter(({ skus }) => skus.length > 0)
    .flatMap(({ skus, numbers }) =>
      pagesOf(
        form,
        declared,
        skus,
        numbers.filter((number) => number !== undefined),
      ),
    );
  const pages: Printed[][] = [];
  for (const page of drawn) {
    pages.push(page());
    // Others have their turn between the pages of a long one.
    await setImmediate();
  }
  const { drawPdf } = await import('./pdf.ts');
  return await drawPdf(pages, form.page, declared.fonts, { title: form.title, nowMs: declared.nowMs });
};

const KG_PER_LB = 0.453_592_37;
const weightKg = ({ skuWeight = 0, skuWeightUom, skuQuantity }: Sku): number =>
  skuWeight * skuQuantity * (skuWeightUom === 'LB' ? KG_PER_LB : 1);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const kg = (value: number): string => `${Number(value.toFixed(3))} kg`;
const valueOf = ({ skuItemUnitPrice, skuQuantity }: Sku): number => Number(skuItemUnitPrice) * skuQuantity;
const numbered = (name: string, value: string | undefined): string => (value === undefined ? '' : `${name} ${value}`);

/** Name, share of the width, and what stands in it. */
type Column = readonly [name: string, share: number, text: (sku: Sku) => string];

const pagesOf = (
  form: Form,
  declared: Declared,
  skus: readonly Sku[],
  numbers: readonly string[],
): (() => Printed[])[] => {
  const { title, page, rows, isOfPackage } = form;
  const { consignment, fonts } = declared;
  const { info = {}, currencyCode = '' } = consignment;
  const { currency = currencyCode, shippingCost = 0 } = info;
  const isSmall = page.width < 150;
  const style = { page, margin: isSmall ? 4 : 14, size: isSmall ? 6.5 : 9, fonts };
  const money = (value: number): string =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }).format(
      roundAmount(value, currency),
    );
  const columns: readonly Column[] = [
    ['Description of goods', 0.34, (sku) => sku.skuItemDescription ?? sku.skuItemName],
    ['HS code', 0.13, (sku) => sku.skuHsnCode ?? ''],
    ['Origin', 0.1, (sku) => sku.skuOriginCountry ?? ''],
    ['Qty', 0.08, (sku) => String(sku.skuQuantity)],
    ['Net weight', 0.13, (sku) => (sku.skuWeight === undefined ? '' : kg(weightKg(sku)))],
    [
      'Value',
      0.22,
      (sku) => (isSmall ? money(valueOf(sku)) : `${money(valueOf(sku))}\n${money(Number(sku.skuItemUnitPrice))} each`),
    ],
  ];
  const shares = columns.map(([, share]) => share);
  const goods = sumOf(skus.map(valueOf));
  const total = isOfPackage ? goods : goods + shippingCost;
  const weighs = skus.every(({ skuWeight }) => skuWeight !== undefined) ? kg(sumOf(skus.map(weightKg))) : undefined;
  const count = Math.ceil(skus.length / rows);

  return Array.from({ length: count }, (_, at) => () => {
    const { printed, write, line, row, down } = createSheet(style);
    write([title], [0, 0.75], isSmall ? 6 : 9, true, isSmall ? 10 : 16);
    write([`Page ${at + 1} of ${count}`], [0.78, 1], 6);
    down(isSmall ? 6 : 10);
    line();
    const from = [numbered('EORI', info.originEori), numbered('VAT', info.originVatNumber)];
    const to = [
      numbered('EORI', info.destinationEori),
      numbered('VAT', info.destinationVatNumber),
      numbered('Phone', consignment.destinationContactNumber),
    ];
    const partyHeight = isSmall ? 26 : 40;
    write(['From', ...addressLines(consignment, 'origin'), ...from], [0, 0.5], partyHeight);
    write(['To', ...addressLines(consignment, 'destination'), ...to], [0.5, 1], partyHeight);
    down(partyHeight);
    line();
    const { importerOfRecord: importer } = info;
    const facts = [
      numbered('Invoice', info.customsInvoiceNumber),
      `Date ${info.customsInvoiceDate ?? consignment.shippingDateTime.slice(0, 10)}`,
      `Reference ${consignment.referenceId}, order ${consignment.orderNumber}`,
      numbers.length === 0 ? '' : `Tracking ${numbers.slice(0, 6).join(', ')}${numbers.length > 6 ? ' …' : ''}`,
    ];
    const terms = [
      `Reason for export: ${info.reasonForExport}`,
      numbered('Incoterm', info.incoterm),
      numbered('IOSS', info.ioss),
      importer === undefined
        ? ''
        : `Importer of record: ${[importer.companyName, importer.name, importer.addressLine1, importer.postalCode, importer.city, countryName(importer.country), importer.eori].filter((part) => part !== undefined).join(', ')}`,
    ];
    const factsHeight = isSmall ? 15 : 24;
    write(facts, [0, 0.5], factsHeight);
    write(terms, [0.5, 1], factsHeight);
    down(factsHeight);
    line();
    const rowHeight = isSmall ? 8 : 10;
    row(
      columns.map(([name]) => name),
      shares,
      rowHeight,
      true,
    );
    for (const sku of skus.slice(at * rows, (at + 1) * rows))
      row(
        columns.map(([, , text]) => text(sku)),
        shares,
        rowHeight,
      );
    line();
    if (at < count - 1) return printed;
    const totals = [
      isOfPackage || shippingCost === 0 ? '' : `Goods ${money(goods)}, transport ${money(shippingCost)}`,
      `Total ${money(total)}${weighs === undefined ? '' : `, net weight ${weighs}`}`,
    ];
    write(totals, [0, 1], isSmall ? 6 : 11, true);
    down(isSmall ? 7 : 13);
    write([DECLARATION, `Date and signature: ${'_'.repeat(isSmall ? 24 : 40)}`], [0, 1], isSmall ? 14 : 22);
    return printed;
  });
};

const DECLARATION =
  'I declare that the particulars given here are true and correct, and that the goods contain nothing dangerous or ' +
  'prohibited by law or by postal or customs regulations, unless it is declared.';

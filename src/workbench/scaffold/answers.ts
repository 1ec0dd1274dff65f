/** What matters in the carrier's answers: numbers, labels, messages, statuses; by the names of their fields. */
import { type BodyShape, type Leaf, leavesOf, phrasesOf, singular, wordsIn } from './shape.ts';

/** The leaf whose path has all words of a phrase, in the singular or plural; the most certain phrases come first. */
const find = (shape: BodyShape | undefined, phrases: string, except = ''): Leaf | undefined => {
  const leaves = (shape === undefined ? [] : leavesOf(shape))
    .filter((leaf) => leaf.shape.example !== null)
    .map((leaf) => ({ leaf, words: new Set(leaf.path.flatMap(wordsIn).map(singular)) }));
  const others = except.split(' ').map(singular);
  for (const phrase of phrasesOf(phrases)) {
    const found = leaves.find(
      ({ words }) => phrase.every((word) => words.has(singular(word))) && !others.some((word) => words.has(word)),
    );
    if (found !== undefined) return found.leaf;
  }
  return undefined;
};

export const findTrackingNumber = (shape: BodyShape | undefined): Leaf | undefined =>
  find(
    shape,
    'tracking number, tracking code, tracking id, tracking reference, parcel number, parcel label number, consignment number, shipment number, shipment tracking number, ' +
      'identification number, waybill number, waybill, awb, barcode, tracking, sendle reference, number, parcel id, shipment id, order id, shipment pin value, id',
    'url link href account',
  );

export const findLabelField = (
  shape: BodyShape | undefined,
): { readonly leaf: Leaf; readonly as: 'url' | 'content' } | undefined => {
  const url = find(shape, 'label url, label link, label href, document url, labels url');
  if (url !== undefined) return { leaf: url, as: 'url' };
  const content = find(
    shape,
    'label content, label data, label base, label pdf, label image, label file, document content, label document, label',
    'format type size number status code message',
  );
  if (content === undefined || typeof (content.shape.example ?? '') !== 'string') return undefined;
  return { leaf: content, as: /^https?:\/\//.test(String(content.shape.example)) ? 'url' : 'content' };
};

export const findMessage = (shape: BodyShape | undefined): Leaf | undefined =>
  find(shape, 'error message, message, error description, description, detail, errors text, errors, error, title');

export const findErrorCode = (shape: BodyShape | undefined): Leaf | undefined => find(shape, 'error code, code, type');

export const findEvents = (shape: BodyShape | undefined) => {
  const code = find(
    shape,
    'events status code, events code, status code, event code, events status, status, code, events type',
  );
  return code === undefined
    ? undefined
    : {
        code,
        description: find(shape, 'status description, event description, description, message, text'),
        time: find(shape, 'timestamp, occurred at, event time, date time, time, date, created at, at'),
        place: find(shape, 'location name, location, city, place, facility'),
      };
};

/** Codes of a sample, each with what stands beside it, and those that a document lists. */
export const statusesIn = (shape: BodyShape | undefined): ReadonlyMap<string, string> => {
  const events = findEvents(shape);
  if (shape === undefined || events === undefined) return new Map();
  const at = (leaf: Leaf | undefined): string[] =>
    leaf === undefined
      ? []
      : leavesOf(shape)
          .filter(({ path }) => path.join('/') === leaf.path.join('/'))
          .map((one) => String(one.shape.example ?? ''));
  const [codes, texts] = [at(events.code), at(events.description)];
  const shown = codes.map((code, index): [string, string] => [
    code,
    codes.length === texts.length ? (texts[index] ?? '') : '',
  ]);
  const listed = (events.code.shape.oneOf ?? []).map((code): [string, string] => [String(code), '']);
  return new Map([...shown, ...listed].filter(([code]) => code !== ''));
};

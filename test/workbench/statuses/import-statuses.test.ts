import { describe, expect, test } from 'vitest';
import { importStatuses } from '../../../src/workbench/statuses/import-statuses.ts';

const importInto = (profile: string, text: string) => importStatuses('acme', profile, { file: 'list.csv', text });

const HEAD = 'carrier: acme\nenvironments: { sandbox: { url: https://acme.example } }\n';

describe('rows of a CSV file', () => {
  test.each([
    [
      'behind the last row of a block, with its comments and what follows untouched',
      'statuses:\n  # by code\n  table:\n    NEW: Order Created # first\n    OUT: Out for Delivery   # last\n\n# the end\n',
      'code,status,description\n1610,In Transit,Left the hub\nN/A,No Change,\n',
      'statuses:\n  # by code\n  table:\n    NEW: Order Created # first\n    OUT: Out for Delivery   # last\n    1610: In Transit # Left the hub\n' +
        "    'N\\/A': No Change\n\n# the end\n",
    ],
    [
      'into a flow map, in any case of words, with reasons and sub-codes',
      'statuses: { table: { NEW: Order Created } }\n',
      'Code;Sub Code;Status;Reason\nDF;7;delivery failed;not_home\nDF;;Delivery Failed/OTHER;\n',
      "statuses: { table: { NEW: Order Created, 'DF/7': { status: Delivery Failed, reason: NOT_HOME },\n  DF: { status: Delivery Failed, reason: OTHER } } }\n",
    ],
    [
      'into the lists of their statuses, where rows are grouped',
      'statuses:\n  table:\n    In Transit: [1610, 1810] # moving\n    At Facility:\n      - A1\n    Order Delivered: [ D ]\n',
      'code,status\n1900,In Transit\nA2,At Facility\nD2,Order Delivered\nX,Lost\n',
      'statuses:\n  table:\n    In Transit: [1610, 1810, 1900] # moving\n    At Facility:\n      - A1\n      - A2\n    Order Delivered: [ D, D2]\n    X: Lost\n',
    ],
    [
      'of returns to rows of their own, in tables that were not there',
      'statuses:\n  poll: { every: 1h }\n',
      'code,status,direction\nDL,Order Delivered,\nDL,Returned to Origin,reverse\n',
      'statuses:\n  poll: { every: 1h }\n  table:\n    DL: Order Delivered\n  returns:\n    DL: Returned to Origin\n',
    ],
    [
      'into a profile without statuses',
      '',
      'code\tstatus\nDL\tOrder Delivered\n',
      'statuses:\n  table:\n    DL: Order Delivered\n',
    ],
  ])('are added %s', (_, statuses, csv, wanted) => {
    expect(importInto(HEAD + statuses, csv)).toMatchObject({ ok: true, text: HEAD + wanted });
  });

  test('that are there already, by code or in a list, change nothing', () => {
    const profile = `${HEAD}statuses: { table: { NEW: Order Created, In Transit: [A, B] } }\n`;
    const csv = 'status,code,Meaning\nOrder Created,new,"made, not seen"\nIn Transit,B,\nIn Transit,B,\n';
    expect(importInto(profile, csv)).toEqual({ ok: true, text: profile, added: 0, known: 2, ignored: ['Meaning'] });
  });

  test('that are wrong are all told, with line and column, and nothing is changed', () => {
    const profile = `${HEAD}statuses: { table: { NEW: Order Created, In Transit: [A] } }\n`;
    const csv = [
      'code,status,reason,direction',
      'X,In Transt,,',
      ',Lost,,',
      'Y,,,',
      'Z,Delivery Failed,AWAY,BACK',
      'NEW,"Order Picked Up",,',
      'A,Lost,,',
      'B,Lost,,',
      'B,Damaged,,',
      '"C" D,Lost,,',
    ].join('\r\n');
    const imported = importInto(profile, csv);
    expect(
      imported.ok
        ? []
        : imported.findings.map(({ place, rule, message, help }) => [place.line, place.column, rule, message, help]),
    ).toEqual([
      [2, 3, 'unknown-status', '"In Transt" is no status', 'did you mean "In Transit"?'],
      [3, 1, 'missing-key', 'this row has no code', undefined],
      [4, 3, 'missing-key', 'no status is given for "Y"', 'write No Change for one that means nothing'],
      [5, 19, 'wrong-value', '"AWAY" is no reason', expect.stringContaining('known here: NOT_HOME')],
      [5, 24, 'wrong-value', '"BACK" is no direction', 'known here: FORWARD, REVERSE'],
      [
        6,
        1,
        'repeated-key',
        '"NEW" is Order Created at carriers/acme.yaml:3:22, and Order Picked Up here',
        'change one of them',
      ],
      [7, 1, 'repeated-key', '"A" is In Transit at carriers/acme.yaml:3:55, and Lost here', 'change one of them'],
      [9, 1, 'repeated-key', '"B" is Lost in line 8 already', 'keep one of them'],
      [10, 5, 'wrong-value', 'text follows the closing quote', 'double a quote that is meant: ""'],
    ]);
  });

  test.each([
    ['code,meaning\nA,Lost\n', [1, 1, 'the first line names no column "status"']],
    ['code,status\n"A,Lost\n', [2, 1, 'this quote is never closed']],
    ['', [1, 1, 'the first line names no column "code"']],
  ])('cannot be read out of %j', (csv, wanted) => {
    const imported = importInto(HEAD, csv);
    const told = imported.ok ? [] : imported.findings.map(({ place, message }) => [place.line, place.column, message]);
    expect(told).toContainEqual(wanted);
  });
});

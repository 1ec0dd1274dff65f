import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluating.ts';
import { startCost } from '../../../support/cost.ts';

describe('$street', () => {
  it.each([
    ['Teststraat 5 b', 'Teststraat', '5', 'b'],
    ['Teststraat 5-b', 'Teststraat', '5', 'b'],
    ['Musterstraße 12-14', 'Musterstraße', '12-14', undefined],
    ['Straße des 17. Juni 135', 'Straße des 17. Juni', '135', undefined],
    ['Route 66 12', 'Route 66', '12', undefined],
    ['Teststraat 8 A3', 'Teststraat', '8', 'A3'],
    ['1st Example Street 9', '1st Example Street', '9', undefined],
    ['123 Example St', 'Example St', '123', undefined],
    ['123 Example St Apt 4', 'Example St', '123', 'Apt 4'],
    ['123 Example St #4', 'Example St', '123', '#4'],
    ['12 bis rue de l’Exemple', 'rue de l’Exemple', '12', 'bis'],
    ["12 d'Exemple", "d'Exemple", '12', undefined],
    ['1 rue du 8 Mai 1945', 'rue du 8 Mai 1945', '1', undefined],
    ['2e Teststraat 20', '2e Teststraat', '20', undefined],
    ['Teststraat 20 bus 3', 'Teststraat', '20', 'bus 3'],
    ['Example Street 5, Floor 2', 'Example Street', '5', 'Floor 2'],
    ['  Example   Road 7 ', 'Example Road', '7', undefined],
  ])('%s', async (line, name, number, addition) => {
    const found = await evaluate('$street(line)', { line });
    expect(found).toEqual(JSON.parse(JSON.stringify({ name, number, addition })));
  });

  it('takes no long time for a line that is no street', async () => {
    const cost = startCost();
    await evaluate('$street(line)', { line: `${'1 a '.repeat(49)}!` });
    expect(cost()).toBeLessThan(500);
    expect(await evaluate('$street(line)', { line: 'a'.repeat(1000) })).toEqual({ name: 'a'.repeat(1000) });
  });
});

describe('$person', () => {
  it.each([
    ['Lee Ann Ray', 'Lee Ann', 'Ray'],
    ['Ray, Lee Ann', 'Lee Ann', 'Ray'],
    ['Lee Ray Jr.', 'Lee', 'Ray Jr.'],
    ['Lee Ray, Jr.', 'Lee', 'Ray, Jr.'],
    ['Example', undefined, 'Example'],
    ['van Example', 'van', 'Example'],
  ])('%s', async (name, first, last) => {
    expect(await evaluate('$person(name)', { name })).toEqual(JSON.parse(JSON.stringify({ first, last })));
  });
});

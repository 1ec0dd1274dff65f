import { expect, test } from 'vitest';
import { chooseLabelFormat, findService, serviceNames } from '../../../src/engine/consignment/service.ts';
import { carrierWith, changed, fullOrder } from './orders.ts';

const asking = (serviceType: string) => changed(fullOrder(), { 'consignmentDetails.serviceType': serviceType });

test('without a table the four names of the contract stand for themselves, in any case', () => {
  expect(findService(carrierWith(), asking(' express '))?.typeOfService).toBe('EXPRESS');
  expect(findService(carrierWith(), asking('Ground'))?.typeOfService).toBe('GROUND');
  expect(findService(carrierWith(), asking('White Glove'))).toBeUndefined();
  expect(serviceNames(carrierWith())).toEqual(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY']);
});

test('with a table only its rows count', () => {
  const row = { name: 'Overnight', typeOfService: 'EXPRESS', code: 'ON', orders: undefined } as const;
  const carrier = carrierWith({}, [row]);
  expect(findService(carrier, asking('OVERNIGHT'))).toBe(row);
  expect(findService(carrier, asking('Express'))).toBeUndefined();
  expect(serviceNames(carrier)).toEqual(['Overnight']);
});

test('an own fleet serves by skill', () => {
  const carrier = carrierWith({ fleet: 'own' });
  expect(findService(carrier, asking('Two-Man'))).toMatchObject({ typeOfService: 'STANDARD', code: 'two-man' });
  expect(findService(carrier, asking('Express'))?.typeOfService).toBe('EXPRESS');
  expect(findService(carrier, asking('Crane'))).toBeUndefined();
});

test('a label comes in the format asked for, in PDF when none is, and else as the carrier likes it best', () => {
  expect(chooseLabelFormat({ labelFormat: 'ZPL' }, ['PDF', 'ZPL'])).toBe('ZPL');
  expect(chooseLabelFormat({}, ['ZPL', 'PDF'])).toBe('PDF');
  expect(chooseLabelFormat({ labelFormat: 'ZPL' }, ['PNG', 'PDF'])).toBe('PNG');
  expect(chooseLabelFormat({}, ['ZPL'])).toBe('ZPL');
});

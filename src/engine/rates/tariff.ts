import type { Place } from '../failure.ts';
import type { tariff, tariffService } from '../profile/language/rates.ts';
import type { Value } from '../profile/language/field.ts';
import type { PriceTable } from './price-table.ts';
import type { ZoneTable } from './zone-table.ts';

type Keys = Value<typeof tariff>;

/** A compiled tariff: what a carrier takes for what is shipped on some days. */
export interface Tariff extends Pick<Keys, 'currency' | 'from' | 'to' | 'surcharges' | 'fuel' | 'tax'> {
  readonly name: string;
  readonly place: Place;
  readonly zones: ZoneTable;
  readonly services: readonly TariffService[];
}

export interface TariffService extends Omit<Value<typeof tariffService>, 'prices'> {
  /** The row of the profile's services. */
  readonly service: { readonly name: string };
  readonly place: Place;
  readonly table: PriceTable;
}

export interface ContractVolume {
  readonly value: number;
  readonly unit: 'CBM' | 'CFT';
  /** The shipper wrote this unit, by this name: nothing was converted. */
  readonly exact: boolean;
}

const CONTRACT_UNITS: Readonly<Record<string, { readonly unit: 'CBM' | 'CFT'; readonly per: number }>> = {
  CBM: { unit: 'CBM', per: 1 },
  M3: { unit: 'CBM', per: 1 },
  DM3: { unit: 'CBM', per: 1e3 },
  L: { unit: 'CBM', per: 1e3 },
  CM3: { unit: 'CBM', per: 1e6 },
  MM3: { unit: 'CBM', per: 1e9 },
  CFT: { unit: 'CFT', per: 1 },
  FT3: { unit: 'CFT', per: 1 },
  IN3: { unit: 'CFT', per: 1_728 },
};

/**
 * A volume in the units of the carrier contract, or undefined without a value or with a unit that is not known.
 * Twelve significant digits: enough for any volume, too few for the noise of binary fractions.
 */
export const toContractVolume = (value: number | undefined, unit: string | undefined): ContractVolume | undefined => {
  if (value === undefined || unit === undefined) return undefined;
  const name = unit.trim().toUpperCase();
  const known = Object.hasOwn(CONTRACT_UNITS, name) ? CONTRACT_UNITS[name] : undefined;
  if (known === undefined) return undefined;
  const exact = unit === known.unit;
  return { value: exact ? value : Number((value / known.per).toPrecision(12)), unit: known.unit, exact };
};

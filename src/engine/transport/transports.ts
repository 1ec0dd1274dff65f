import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** The ways out: one for all, and one of its own for each carrier that private networks were opened to. */
export interface Transports {
  /** For whatever is no carrier's, and for carriers that nothing was opened to. */
  readonly shared: Transport;
  readonly of: (carrier: string) => Transport;
  readonly close: () => void;
}

/**
 * `networks`: ranges by carrier, an operator's word and never a profile's. Each such carrier has connections of its
 * own, so that none of them ever serves another.
 */
export const createTransports = (
  options: Omit<TransportOptions, 'allowedNetworks'>,
  networks: ReadonlyMap<string, readonly string[]>,
): Transports => {
  const shared = createTransport(options);
  const own = new Map(
    [...networks].map(([carrier, allowedNetworks]) => [carrier, createTransport({ ...options, allowedNetworks })]),
  );
  return {
    shared,
    of: (carrier) => own.get(carrier) ?? shared,
    close: () => {
      for (const transport of [shared, ...own.values()]) transport.close();
    },
  };
};

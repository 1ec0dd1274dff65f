/** Ids of offers: what was offered, sealed, so that nobody but us can have made them. */
import { Failure } from '../../engine/failure.ts';
import type { Offered } from '../../engine/rates/of-order.ts';
import type { Sealer } from '../records/sealer.ts';
import type { Owner } from '../records/shippers.ts';

const about = ({ shipperId, environment }: Owner): string => `offer/${shipperId}/${environment}`;

export const writeOfferId = (sealer: Sealer, owner: Owner, offered: Offered): string => {
  const { carrierCode, service, total, currency, rateId, expiresAtMs, gist } = offered;
  const text = JSON.stringify({ carrierCode, service, total, currency, rateId, expiresAtMs, gist });
  return sealer.seal(Buffer.from(text), about(owner)).toString('base64url');
};

/** Undefined: it is none of ours, or another shipper's. */
export const readOfferId = (sealer: Sealer, owner: Owner, id: string): Offered | undefined => {
  try {
    return JSON.parse(sealer.open(Buffer.from(id, 'base64url'), about(owner)).toString('utf8')) as Offered;
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
};

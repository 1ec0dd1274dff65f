import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { sha256 } from '../../engine/digest.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';

/** Whom a token stands for. */
export type Bearer =
  | {
      readonly kind: 'shipper';
      readonly shipperId: number;
      readonly shipperCode: string;
      readonly environment: EnvironmentName;
    }
  | { readonly kind: 'carrier'; readonly carrierCode: string; readonly environment: EnvironmentName | undefined };

const ID_BYTES = 9;
const SECRET_BYTES = 32;

/** `wb_<kind>_<id>_<secret>`: 256 random bits behind a public id. Only its hash is kept, so it is shown once. */
export const newToken = (kind: Bearer['kind']): { id: string; token: string; hash: Buffer } => {
  const id = randomBytes(ID_BYTES).toString('base64url').replaceAll(/[-_]/g, '0');
  const token = `wb_${kind}_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { id, token, hash: sha256(token) };
};

const TOKEN = /^wb_(?:shipper|carrier)_([A-Za-z0-9]{1,20})_[\w-]{20,80}$/;
const NOBODY = Buffer.alloc(32);

interface TokenRow {
  hash: Buffer;
  kind: Bearer['kind'];
  shipper_id: number | null;
  shipper_code: string | null;
  carrier_code: string | null;
  environment: EnvironmentName | null;
}

/** The bearer of a token that is known, not expired and not revoked. Takes the same way for a known and an unknown id. */
export const findBearer = async (pool: Pool, token: string, now: Date): Promise<Bearer | undefined> => {
  const id = TOKEN.exec(token)?.[1];
  if (id === undefined) return undefined;
  const { rows } = await pool.query<TokenRow>(
    `select t.hash, t.kind, t.shipper_id, s.code as shipper_code, t.carrier_code, t.environment
     from tokens t left join shippers s on s.id = t.shipper_id
     where t.id = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)`,
    [id, now],
  );
  const [row] = rows;
  const matches = timingSafeEqual(sha256(token), row?.hash ?? NOBODY);
  if (row === undefined || !matches) return undefined;
  if (row.kind === 'carrier') {
    return { kind: 'carrier', carrierCode: row.carrier_code ?? '', environment: row.environment ?? undefined };
  }
  return {
    kind: 'shipper',
    shipperId: row.shipper_id ?? 0,
    shipperCode: row.shipper_code ?? '',
    environment: row.environment ?? 'production',
  };
};

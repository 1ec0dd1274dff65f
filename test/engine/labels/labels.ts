import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

export const PDF = Buffer.from('%PDF-1.4\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF\n');
export const ZPL = Buffer.from('^XA^FO10,10^FDEXAMPLE^FS^XZ');

export interface LabelWish {
  readonly position?: number | null;
  readonly sourceUrl?: string;
  readonly dueAtMs: number;
}

/** A pending label as an acceptance leaves one; yields its id. */
export const newLabel = async (pool: Pool, consignmentId: number, wish: LabelWish): Promise<string> => {
  const { position = 0, sourceUrl = null, dueAtMs } = wish;
  const id = randomBytes(24).toString('base64url');
  await pool.query(
    `insert into labels (id, consignment_id, position, state, source_url, due_at) values ($1, $2, $3, 'pending', $4, $5)`,
    [id, consignmentId, position, sourceUrl, new Date(dueAtMs)],
  );
  return id;
};

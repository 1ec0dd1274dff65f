/** Photos and signatures: taken where they are images, kept with their stop, and served to whoever has the link. */
import { randomBytes } from 'node:crypto';
import { notFound, ok, Refusal, wrongAt, type Answer } from '../http.ts';
import type { Database } from '../ports.ts';

export const PROOF_MAX_BYTES = 4 * 1024 * 1024;
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

const startsWith = (bytes: Buffer, start: readonly number[], at = 0): boolean =>
  start.every((byte, index) => bytes[at + index] === byte);
const ascii = (text: string): readonly number[] => [...Buffer.from(text, 'latin1')];

/** By its first and last bytes; undefined: it is no image, or was cut off. */
const imageTypeOf = (bytes: Buffer): (typeof IMAGE_TYPES)[number] | undefined => {
  if (startsWith(bytes, [0xff, 0xd8, 0xff]) && bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 2) return 'image/jpeg';
  if (startsWith(bytes, [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a]) && bytes.includes('IEND')) return 'image/png';
  const isWebp =
    startsWith(bytes, ascii('RIFF')) &&
    startsWith(bytes, ascii('WEBP'), 8) &&
    bytes.readUInt32LE(4) + 8 <= bytes.byteLength;
  return isWebp ? 'image/webp' : undefined;
};

interface Given {
  readonly id: string;
  readonly driver: string;
  readonly stopId: number;
  readonly kind: 'photo' | 'signature';
  readonly bytes: unknown;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Of one stop: a driver takes a few, a broken device thousands. */
const PROOFS_MAX = 40;

/** A repeat of the same image is answered as the first one was. Yields the key of its link. */
export const takeProof = async (database: Database, { id, driver, stopId, kind, bytes }: Given): Promise<string> => {
  if (!UUID.test(id)) throw wrongAt('id', 'malformed', 'must be a UUID');
  if (!Buffer.isBuffer(bytes) || bytes.byteLength === 0) throw wrongAt('body', 'required', 'must be an image');
  if (bytes.byteLength > PROOF_MAX_BYTES) throw new Refusal(413, 'too_large', 'The image is larger than 4 MB');
  const type = imageTypeOf(bytes);
  if (type === undefined)
    throw wrongAt('body', 'malformed', 'is no JPEG, PNG or WebP image, whatever its type says, or was cut off');
  const stop = await database.first<{ count: number }>`
    select (select count(*) from fleet.proofs p where p.stop_id = s.id) as count
    from fleet.stops s join fleet.routes r on r.id = s.route_id where s.id = ${stopId} and r.driver = ${driver}`;
  if (stop === undefined) throw wrongAt('stopId', 'not_one_of', `names ${stopId}, which is no stop of your routes`);
  if (stop.count >= PROOFS_MAX)
    throw new Refusal(409, 'too_many', `A stop has at most ${PROOFS_MAX} photos and signatures`);
  const key = randomBytes(24).toString('base64url');
  await database.run`
    insert into fleet.proofs (id, link_key, driver, stop_id, kind, content_type, content)
    values (${id}, ${key}, ${driver}, ${stopId}, ${kind}, ${type}, ${bytes}) on conflict (id) do nothing`;
  const kept = await database.first<{ linkKey: string }>`
    select link_key from fleet.proofs where id = ${id} and driver = ${driver} and stop_id = ${stopId} and kind = ${kind}`;
  if (kept === undefined) throw wrongAt('id', 'unique', 'is that of another photo or signature');
  return kept.linkKey;
};

const KEY = /^[\w-]{32}$/;

export const serveProof = async (database: Database, key: string): Promise<Answer> => {
  const found = KEY.test(key)
    ? await database.first<{ contentType: string; content: Buffer | undefined }>`
        select content_type, content from fleet.proofs where link_key = ${key}`
    : undefined;
  if (found?.content === undefined) throw notFound('such photo or signature (any more)');
  return ok(found.content, {
    'content-type': found.contentType,
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
  });
};

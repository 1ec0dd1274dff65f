import { expect, it } from 'vitest';
import { DEFAULT_DECODE_LIMITS } from '../../src/engine/codecs/codec.ts';
import { PACKAGES_MAX, SKUS_MAX } from '../../src/engine/consignment/order.ts';
import { DEPTH_MAX, TEXT_MAX } from '../../src/engine/consignment/read.ts';
import { ANSWER_WAIT_MS, LARGE_ANSWER_BYTES, LARGE_BYTES, VALUES_MAX } from '../../src/engine/large.ts';
import { PUSHED_MAX } from '../../src/engine/statuses/status-update.ts';
import { LARGE_WAIT_MS, WAITING_MAX } from '../../src/platform/api/admission.ts';
import { BODY_MAX, HEADERS_LIMIT_MS, RECEIVE_LIMIT_MS } from '../../src/platform/api/api.ts';
import { BODY_BYTES_MAX, LARGE_AT_ONCE_BYTES } from '../../src/platform/api/body-gate.ts';
import { TEST_EVENTS_PER_MINUTE, WRONG_PER_MINUTE } from '../../src/platform/api/rate-limit.ts';
import { LINE_MAX, TURN_WAIT_MS } from '../../src/platform/processes/api.ts';
import { SETTINGS } from '../../src/platform/processes/config.ts';
import { read } from '../support/project.ts';

const seconds = (ms: number): string => `${ms / 1_000} s`;
const mebibytes = (bytes: number): string => `${bytes / 1_048_576} MiB`;
/** As the generated reference of profiles has it. */
const ofProfile = (key: string): string =>
  new RegExp(`^\\| \`${key}\` \\| [^|]+ \\| ([^|]+) \\|.*\\b(?:call|calls|response)\\b`, 'm').exec(
    read('docs/reference/limits-and-retries.md'),
  )?.[1] ?? '';

const DEFAULTS: Readonly<Record<string, string | number>> = {
  '`RATE_LIMIT`': SETTINGS.rateLimit.default,
  '`LARGE_REQUEST_LIMIT`': SETTINGS.largeRequestLimit.default,
  '`SLOTS_HELD`': SETTINGS.slotsHeld.default,
  'large requests of a token': mebibytes(LARGE_AT_ONCE_BYTES),
  'large requests of all tokens': mebibytes(BODY_BYTES_MAX),
  'a large request': `${LARGE_BYTES / 1_024} KB`,
  'wait of a large request': seconds(LARGE_WAIT_MS),
  'requests to webhooks, unproven': mebibytes(BODY_BYTES_MAX),
  'requests to webhooks, proven': mebibytes(BODY_BYTES_MAX),
  'wrong tokens': WRONG_PER_MINUTE,
  'webhooks that prove nothing': WRONG_PER_MINUTE,
  'test events': TEST_EVENTS_PER_MINUTE,
  size: mebibytes(BODY_MAX),
  values: VALUES_MAX,
  nesting: DEPTH_MAX,
  text: TEXT_MAX,
  packages: PACKAGES_MAX,
  SKUs: SKUS_MAX,
  'status updates': PUSHED_MAX,
  headers: seconds(HEADERS_LIMIT_MS),
  request: seconds(RECEIVE_LIMIT_MS),
  'waiting requests': LINE_MAX,
  'wait for a turn': seconds(TURN_WAIT_MS),
  'waiting statements': WAITING_MAX,
  '`limits.size`': ofProfile('size'),
  'a large answer of a carrier': `${LARGE_ANSWER_BYTES / 1_024} KB`,
  'wait of a large answer': seconds(ANSWER_WAIT_MS),
  '`limits.values`': ofProfile('values'),
  'text inside text': `${DEFAULT_DECODE_LIMITS.maxBytes / 1_000_000} MB`,
  '`limits.calls`': ofProfile('calls'),
  '`limits.concurrency`': ofProfile('concurrency'),
};

it('the defaults of all limits are those of the code', () => {
  const [, section = ''] = /^## Limits$(.*?)^## /ms.exec(read('SECURITY.md')) ?? [];
  const rows = [...section.matchAll(/^\| (?!limit |---)([^|]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)];
  expect(Object.fromEntries(rows.map(([, name = '', value]) => [name, value]))).toEqual(
    Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, String(value)])),
  );
});

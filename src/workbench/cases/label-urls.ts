/** Labels that an answer named by URL, fetched as the server fetches them. */
import type { Accepted } from '../../engine/consignment/accepted.ts';
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import { downloadLabel } from '../../engine/labels/download.ts';
import type { Operation } from '../../engine/profile/carrier.ts';
import { portsOf, runOf } from './perform.ts';
import type { Script } from './script.ts';
import type { Story } from './story.ts';

/** By package, `*` for all. */
export const labelUrlsOf = ({ packages, label }: Accepted): ReadonlyMap<string, string> =>
  new Map(
    [...packages.map((one) => [one.itemReferenceNumber, one.label] as const), ['*', label] as const].flatMap(
      ([reference, given]): [string, string][] => (given?.url === undefined ? [] : [[reference, given.url]]),
    ),
  );

/** The format of each, `not_yet` for a placeholder, `failed` for what will never be one. */
export const downloadLabels = async (story: Story, script: Script): Promise<Readonly<Record<string, string>>> => {
  const labels: Record<string, string> = {};
  for (const [reference, url] of story.labelUrls) {
    const outcome = await downloadLabel(url, {
      send: script.send,
      nowMs: story.clock.nowMs,
      authHeaders: async (at) => await proofFor(story, script, story.carrier.operations.create, at),
    });
    labels[reference] = outcome.kind === 'stored' ? outcome.format : outcome.kind;
  }
  return labels;
};

const proofFor = async (
  story: Story,
  script: Script,
  operation: Operation | undefined,
  url: string,
): Promise<Readonly<Record<string, string>>> =>
  operation === undefined
    ? {}
    : await authHeadersFor(runOf(story, operation, {}, 'case/label'), portsOf(story, script), url);

// A home for the demo: the bundled carriers, with nothing changed but where they live and how often they are asked, and
// for a transcript that they are asked one thing at a time, so that their numbers come in order.
import { chmod, cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isMap, parseDocument } from 'yaml';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Of a bundled carrier. */
export const textOfProfile = async (code: string): Promise<string> =>
  await readFile(path.join(PROJECT, 'carriers', `${code}.yaml`), 'utf8');

/**
 * Copies the carriers to a fresh home, pointed at the simulator, and adds files to `carriers/` by their names without
 * `.yaml`. Returns its path.
 */
export async function makeHome(
  carriers: Readonly<Record<string, string>>,
  inTurn: boolean,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'waybill-demo-'));
  // PostgreSQL runs as a user of its own where we are root, and has to get in.
  await chmod(home, 0o755);
  await mkdir(path.join(home, 'carriers'));
  await cp(path.join(PROJECT, 'mappings'), path.join(home, 'mappings'), { recursive: true });
  for (const [code, url] of Object.entries(carriers)) {
    const written = await textOfProfile(code);
    const text = inTurn ? written.replaceAll(/^ +parallel: \d+$/gm, '') : written;
    // Text as it is written: a code 01 stays 01.
    const profile = parseDocument(text, { schema: 'failsafe' });
    const environments = profile.get('environments');
    if (!isMap(environments)) throw new Error(`${code} has no environments`);
    for (const { value: environment } of environments.items) {
      if (!isMap(environment)) continue;
      environment.set('url', url);
      // Some name further hosts.
      for (const { key, value } of environment.items) if (String(value).startsWith('https:')) environment.set(key, url);
    }
    if (profile.hasIn(['statuses', 'poll'])) profile.setIn(['statuses', 'poll', 'every'], '500ms');
    if (profile.has('labels')) profile.setIn(['labels', 'retry', 'wait'], '1s');
    await writeFile(path.join(home, 'carriers', `${code}.yaml`), profile.toString({ lineWidth: 0 }));
  }
  for (const [name, text] of Object.entries(more)) {
    const file = path.join(home, 'carriers', `${name}.yaml`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return home;
}

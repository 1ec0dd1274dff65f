/** An answer of a case in the words of another request and another shipment. */
import { type Document, leavesOf, mapLeaves } from './document.ts';
import { inFormat, formatAsked } from './labels.ts';
import type { Roles } from './roles.ts';
import type { SceneRequest } from './requests.ts';
import type { Scene, Scenes } from './scenes.ts';
import type { Book, Shipment } from './shipments.ts';
import { moved } from './tracking.ts';
import { isWord, renamed } from './words.ts';

export interface SimulatedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Document;
  /** Nothing has the name that is asked for. */
  readonly isUnknown?: boolean;
  /** What is answered, and why: for the log. */
  readonly from: string;
}

export interface World {
  readonly scenes: Scenes;
  readonly book: Book;
  number(like: string): string;
  nowMs(): number;
}

/** An answer that no case shows. */
export const ownAnswer = (status: number, tree: unknown, from: string): SimulatedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { kind: 'json', tree },
  from,
});

export const refusal = (status: number, error: string): SimulatedAnswer => ownAnswer(status, { error }, error);

export const answerOf = (
  scene: Scene,
  words: ReadonlyMap<string, string>,
  { nowMs }: World,
  { tree, asked }: { readonly tree?: unknown; readonly asked?: SceneRequest } = {},
): SimulatedAnswer => {
  const nothing = { status: 500, headers: {}, body: { kind: 'bytes', tree: undefined } as const };
  const { status, headers, body: shown } = scene.answer ?? nothing;
  const format = asked && formatAsked(scene.request.body.tree, asked.body.tree);
  const body = format === undefined ? shown : inFormat(shown, format);
  const changed = renamed(tree ?? body.tree, words);
  const now = tree === undefined ? mapLeaves(changed, (text) => moved(text, scene.nowMs, nowMs())) : changed;
  const own = Object.entries(headers).map(([name, value]) => [name, renamed(value, words)]);
  return {
    status,
    headers: Object.fromEntries(own) as Record<string, string>,
    body: { kind: body.kind, tree: now },
    from: scene.case,
  };
};

/** What stands in the request in the place of each word of the case's. */
export const pairsOf = ({ request }: Scene, asked: SceneRequest): ReadonlyMap<string, string> =>
  pairsIn(request.said, asked.said);

export const pairsIn = (shown: unknown, came: unknown): ReadonlyMap<string, string> => {
  const pairs = new Map<string, string | undefined>();
  const seen = placesOf(came);
  for (const [path, text] of placesOf(shown)) {
    const other = seen.get(path);
    if (!isWord(text) || other === undefined) continue;
    pairs.set(text, pairs.has(text) && pairs.get(text) !== other ? undefined : other);
  }
  return new Map([...pairs].flatMap(([word, other]) => (other === undefined ? [] : [[word, other] as const])));
};

const placesOf = (tree: unknown): ReadonlyMap<string, string> =>
  new Map(leavesOf(tree).map(({ path, text }) => [path, text]));

/** The words of a case for those of a shipment, and of one package of it where the request names that. */
export const wordsFor = (
  roles: Roles,
  shipment: Pick<Shipment, 'roles' | 'words'> | undefined,
  pairs: ReadonlyMap<string, string>,
) => {
  const words = new Map(shipment?.words);
  const shift = shipment && shiftOf(roles, shipment, pairs);
  for (const [role, word] of roles) {
    const own = shipment?.roles.get(shift?.(role) ?? role);
    if (own !== undefined) words.set(word, own);
  }
  for (const [word, own] of pairs) words.set(word, own);
  return words;
};

export const POSITION = /^packages\.(\d+)\.(.*)$/;

const shiftOf = (roles: Roles, shipment: Pick<Shipment, 'roles'>, pairs: ReadonlyMap<string, string>) => {
  for (const [role, word] of roles) {
    const [, from] = POSITION.exec(role) ?? [];
    const own = pairs.get(word);
    if (from === undefined || own === undefined) continue;
    const there = [...shipment.roles].find(([name, value]) => value === own && POSITION.test(name));
    const [, to] = POSITION.exec(there?.[0] ?? '') ?? [];
    if (to !== undefined) return (name: string) => name.replace(`packages.${from}.`, `packages.${to}.`);
  }
  return undefined;
};

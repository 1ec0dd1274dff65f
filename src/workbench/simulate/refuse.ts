/** What a carrier says where it does not take a request: in its own format and, as far as its cases show it, its own words. */
import { closest, isTarget } from './choose.ts';
import { leavesOf, mapLeaves } from './document.ts';
import type { SceneRequest } from './requests.ts';
import type { Refused } from './scenes.ts';
import { answerOf, pairsOf, refusal, type SimulatedAnswer, type World } from './wording.ts';

/** As the case that refuses for that reason, else with our sentence as any other refusal; else with `status` in a body of our own. */
export const refused = (
  why: Refused,
  status: number,
  sentence: string,
  asked: SceneRequest,
  world: World,
): SimulatedAnswer => {
  const all = world.scenes.scenes.filter(({ refuses }) => refuses !== undefined);
  // Those of other requests, too: a carrier says who asks, and what there is not, in one way.
  const near = [
    ...closest(
      all.filter((scene) => isTarget(scene, asked)),
      asked,
    ),
    ...all,
  ];
  const said = why === 'request' ? undefined : near.find(({ refuses }) => refuses === why);
  if (said !== undefined) return answerOf(said, pairsOf(said, asked), world);
  const [place = ''] = sentence.split(' ');
  for (const scene of [...near.filter(({ refuses }) => refuses === 'request'), ...near]) {
    const told = scene.messages.join('\n');
    const texts = leavesOf(scene.answer?.body.tree).map(({ text }) => text);
    const [message, ...others] = texts.filter((text) => text.length >= 4 && told.includes(text)).toSorted(byLength);
    if (scene.answer === undefined || message === undefined) continue;
    const tree = mapLeaves(scene.answer.body.tree, (text) =>
      text === message ? sentence : others.includes(text) ? place : text,
    );
    const is = scene.answer.status;
    return {
      ...answerOf(scene, new Map(), world, { tree }),
      // Faults of SOAP have one status, whatever they say.
      status: is >= 400 && is < 500 ? status : is,
      from: sentence,
    };
  }
  return refusal(status, sentence);
};

const byLength = (one: string, other: string): number => other.length - one.length;

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../../src/engine/mapping/chosen-engine.ts';
import { standardNames } from '../../../../src/engine/jsonata/functions/library.ts';
import { compileExpression } from '../../../../src/engine/mapping/expression.ts';
import { GROUPS, LIBRARY } from '../../../../src/engine/mapping/functions/library.ts';
import { isRoot } from '../../../../src/engine/mapping/roots.ts';
import { sourceText } from '../../../../src/engine/mapping/source-text.ts';
import { EXAMPLE_CONTEXT, functionsDocument } from './document.ts';
import { evaluate, misuseOf } from '../evaluating.ts';

const functions = GROUPS.flatMap((group) => group.functions);

describe.each(ENGINE_NAMES)('the examples of the documentation hold by the engine %s', (name) => {
  it.each(functions.flatMap(({ examples }) => examples.map((each) => [each.expression, each] as const)))(
    '%s',
    async (expression, { result, given = {} }) => {
      const mapping = compileExpression(sourceText('example', expression), engineNamed(name));
      expect(await mapping.evaluate(given, EXAMPLE_CONTEXT)).toEqual(result);
    },
  );
});

it('docs/functions.md says what the functions say (vitest -u writes it anew)', async () => {
  await expect(functionsDocument()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../../docs/functions.md', import.meta.url)),
  );
});

describe('the library', () => {
  it('has every function of the language, each once', () => {
    const language =
      'first list prune table reject convert roundUp cut wrap ascii digits street person phone country region time ' +
      'formatTime addTime workday json xml toXml jwt base64 unbase64 hash hmac uuid sequence checkDigit';
    expect(functions.map(({ name }) => name).toSorted()).toEqual(language.split(' ').toSorted());
  });

  it('takes the name of no root and no function of JSONata', () => {
    expect([...LIBRARY.keys()].filter((name) => isRoot(name) || standardNames.has(name))).toEqual([]);
  });

  const exceptions = ['first', 'list', 'prune', 'table', 'reject', 'uuid'];
  it.each([...LIBRARY.keys()].filter((name) => !exceptions.includes(name)))(
    '$%s of a missing or null first argument gives nothing',
    async (name) => {
      expect(await evaluate(`$${name}(nowhere)`)).toBeUndefined();
      expect(await evaluate(`$${name}(null)`)).toBeUndefined();
    },
  );

  it('says which argument is wrong, by its name, and what was expected', async () => {
    expect(await misuseOf("$cut('a')")).toBe('$cut needs max, a whole number from 0 to 100000, but it is missing');
    expect(await misuseOf("$cut('a', 'b')")).toBe(
      '$cut needs a whole number from 0 to 100000 as max, but was given a string',
    );
    expect(await misuseOf('$cut({}, 1)')).toMatch(/\$cut needs a text as text, but was given a map/);
    expect(await misuseOf("$ascii('a', 'b')")).toMatch(/takes 1 argument/);
    expect(await misuseOf("$country('DE', 'iso')")).toMatch(/one of alpha2, alpha3, numeric, name/);
  });
});

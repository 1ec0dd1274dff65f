import { expect, it } from 'vitest';
import { generationOf } from '../../../src/engine/mapping/generation.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';

const of = (text: string) => generationOf(sourceText('mappings/acme/create.jsonata', text));

it('a mapping is generated, also where it numbers items', () => {
  expect(of('$prune({"lines": [items#$i.{"number": $i + 1, "name": name}]})')).toEqual({
    generated: true,
    closures: [],
  });
  expect(of('[$items#$i.{"number": $i + 1}]')).toEqual({ generated: true, closures: [] });
});

it('what is not generated has its place and a reason', () => {
  expect(of('{\n  "a": 1,\n  "b": items@$x.orders[id = $x.id]\n}')).toEqual({
    generated: false,
    closures: [
      {
        place: { file: 'mappings/acme/create.jsonata', line: 3, column: 8 },
        why: expect.stringMatching(/binds with @/),
      },
    ],
  });
});

it('of what is no JSONata there is nothing to say', () => {
  expect(of('{')).toBeUndefined();
});

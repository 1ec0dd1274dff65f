import { expect, it } from 'vitest';
import { read } from '../support/project.ts';

it('docs/labels.md shows the template of the example whose cases print it', () => {
  expect(read('docs/labels.md')).toContain(`\`\`\`yaml\n${read('docs/examples/carriers/labels/parcel.yaml')}\`\`\``);
});

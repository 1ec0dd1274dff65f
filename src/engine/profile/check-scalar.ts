import { parseDuration, parseRate } from '../duration.ts';
import type { Findings } from './finding.ts';
import { readBoolean, readNumber, readScalar } from './scalar-forms.ts';
import type { Shape } from './schema/shape.ts';
import { parseSize } from './size.ts';
import { didYouMean } from './suggest.ts';
import type { Node, ScalarNode } from './tree.ts';

/** Checks a scalar against the kind of value its position takes. */
export const checkScalar = (node: ScalarNode, shape: Shape, name: string, findings: Findings): void => {
  const wrong = (wanted: string, help?: string): void =>
    findings.error('wrong-value', node.place, `${name} has to be ${wanted}, not "${node.text.slice(0, 60)}"`, help);
  switch (shape['x-kind']) {
    case 'word':
      checkWord(node, shape, name, findings);
      return;
    case 'duration':
      if (parseDuration(node.text) === undefined) wrong('a duration', 'like 500ms, 30s, 5m, 2h or 45d');
      return;
    case 'rate':
      if (node.text !== 'none' && parseRate(node.text) === undefined) wrong('a rate', 'like 20/s, 600/m or 10/d');
      return;
    case 'size':
      if (parseSize(node.text) === undefined) wrong('a size', 'like 500KB or 20MB');
      return;
    case 'httpStatus':
      if (!/^[1-5](?:\d\d|xx)$/.test(node.text)) wrong('a status', 'like 404 or 4xx');
      return;
    case 'flag':
      if (readBoolean(node) === undefined) wrong('true or false', 'without quotes');
      return;
    case 'integer': {
      const value = readNumber(node);
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = shape;
      const fits = value !== undefined && Number.isInteger(value) && value >= minimum && value <= maximum;
      if (!fits)
        wrong(
          maximum === Number.MAX_SAFE_INTEGER
            ? `a whole number from ${minimum}`
            : `a whole number from ${minimum} to ${maximum}`,
        );
      return;
    }
    case 'plain':
      if (node.text.includes('${')) wrong('plain text', 'no ${ } stands here');
      return;
    case 'expr':
    case 'lifetime':
      if (node.text.trim() === '') wrong('an expression');
      return;
    case 'text':
    case 'literal':
    case 'mapping':
    case 'value':
    case 'data':
    case undefined:
  }
};

const checkWord = (node: ScalarNode, shape: Shape, name: string, findings: Findings): void => {
  const { enum: words, pattern } = shape;
  const shown = node.text.slice(0, 60);
  if (words !== undefined && !words.includes(node.text)) {
    findings.error(
      shape['x-rule'] ?? 'wrong-value',
      node.place,
      `${name} cannot be "${shown}"`,
      didYouMean(node.text, words),
    );
  }
  if (pattern !== undefined && !new RegExp(pattern).test(node.text)) {
    findings.error(
      'wrong-value',
      node.place,
      `${name} has to ${shape['x-must'] ?? `match ${pattern}`}, "${shown}" does not`,
    );
  }
};

/** A free tree: its scalars have to mean the same to every reader of YAML. */
export const checkTree = (node: Node, kind: 'mapping' | 'value' | 'data', findings: Findings, inner = false): void => {
  if (node.kind === 'list') for (const item of node.items) checkTree(item, kind, findings, true);
  else if (node.kind === 'map') for (const entry of node.entries) checkTree(entry.value, kind, findings, true);
  // A mapping that is one text is a file name or JSONata, not a value of a tree.
  else if (kind === 'mapping' && !inner) return;
  else if (node.removed === undefined && !readScalar(node).ok) {
    const message =
      node.text === '' ? 'nothing is written here' : `YAML and JSON do not read ${node.text.slice(0, 60)} alike`;
    findings.error(
      'scalar-ambiguous',
      node.place,
      message,
      node.text === '' ? 'write null' : `quote it: '${node.text.slice(0, 60)}'`,
      node.text === '' ? undefined : { place: node.placeAt(0), old: node.text, text: `'${node.text}'` },
    );
  } else if (kind === 'data' && node.text.includes('${')) {
    findings.error(
      'wrong-value',
      node.place,
      'a table holds plain values, no ${ }',
      'write a literal ${ as text elsewhere',
    );
  }
};

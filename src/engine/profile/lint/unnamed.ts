import type { Engine } from '../../mapping/engine.ts';
import { contextFor } from '../compile/context.ts';
import { compileTariffs } from '../compile/tariff.ts';
import { compileTransit } from '../compile/transit.ts';
import type { Findings } from '../finding.ts';
import { type HomeFiles, mappingFiles } from '../home-files.ts';
import { nodeOf } from '../tree.ts';
import { lintExpressions } from './policies.ts';

interface Named {
  /** Paths of the files that profiles name. */
  readonly used: ReadonlySet<string>;
  /** A profile that does not load may not have come to all that it names. */
  readonly isWhole: boolean;
}

/** Tariffs and transit times that no profile names, which nothing else reads. */
export const lintUnnamed = (home: HomeFiles, { used, isWhole }: Named, findings: Findings, engine?: Engine): void => {
  const seen = new Set(used);
  for (const folder of ['carriers/tariffs', 'carriers/transit'] as const) {
    // Files of CSV come after those that may name them.
    for (const file of home.list(folder).toSorted((one, other) => Number(isCsv(one)) - Number(isCsv(other)))) {
      const path = `${folder}/${file}`;
      if (seen.has(path) || !/\.(?:yaml|csv)$/.test(file)) continue;
      const place = { file: path, line: 1, column: 1 };
      const by = isCsv(file) ? 'file' : 'profile';
      if (isWhole) findings.report('unused', place, `no ${by} names this file`, 'use it, or remove it');
      if (isCsv(file)) continue;
      const files = mappingFiles([], findings, [home]);
      const context = contextFor(nodeOf({}), findings, files, engine);
      const named = { ...nodeOf(file.slice(0, -'.yaml'.length)), place };
      if (folder === 'carriers/tariffs') compileTariffs(context, named, undefined);
      else compileTransit(context, named, undefined, undefined);
      lintExpressions(context, path, {});
      for (const each of files.found.keys()) seen.add(each);
    }
  }
};

const isCsv = (file: string): boolean => file.endsWith('.csv');

/** Reads what a text says between its samples: where the carrier is, and what its codes mean. */
import { IS_TEST, type DescribedApi } from './read-openapi.ts';

const CODE = /^[`*"]*([A-Za-z0-9][\w./-]{0,39})[`*"]*$/;
const FENCED = /^[ \t]*```[^]*?(?:^[ \t]*```.*$|(?![^]))/gm;
const URLS =
  /\b(production|prod|live|base|sandbox|test(?:ing)?|staging|demo|uat)\b[^\n]{0,60}?(https:\/\/[\w.:-]+(?:\/[\w./~-]*)?)/gi;
/** `Codes: 10 received, 20 picked up, 31 sorted`; a code may be one of several, or say it all itself. */
const LISTED =
  /\b[Cc]odes?:?[ \t]+((?:`?[A-Z0-9_]{1,20}`?(?:[ \t]*\/[ \t]*`?[A-Z0-9_]{1,20}`?)*(?:[ \t]+[a-z][^,;.|\n]*)?(?:[,;][ \t]*|(?=[.\n])|$)){3,})/g;

/** `from`: the file. */
export const readProse = (whole: string, from: string): DescribedApi => {
  const text = whole.replaceAll(FENCED, '');
  const told = [...text.matchAll(URLS)].map(([, word = '', url = '']) => ({
    isTest: IS_TEST.test(word),
    url: url.replace(/[./]+$/, ''),
  }));
  const [statuses, returns] = [new Map<string, string>(), new Map<string, string>()];
  const ignored: string[] = [];
  for (const section of text.split(/^(?=#)/m)) {
    const rows = [...rowsIn(section), ...listedIn(section)];
    const [heading = ''] = /^#[^\n]*/.exec(section) ?? [];
    // A code of an error is none of a status.
    if (!/error|fault|refus|response|http/i.test(heading))
      for (const { code, means, isReturn } of rows) {
        const table = isReturn ? returns : statuses;
        if (!table.has(code)) table.set(code, means);
      }
    else if (rows.length > 0)
      ignored.push(`${from}: the codes under "${heading.replace(/^#+\s*/, '')}", as they are none of statuses`);
  }
  return {
    calls: [],
    url: told.find(({ isTest }) => !isTest)?.url,
    sandboxUrl: told.find(({ isTest }) => isTest)?.url,
    statuses,
    returns,
    authOf: () => undefined,
    ignored,
  };
};

interface Row {
  readonly code: string;
  readonly means: string;
  readonly isReturn: boolean;
}

const MEANING = /mean|desc|text|status|event/i;

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^[ \t]*\|/, '')
    .replace(/\|[ \t]*$/, '')
    .split('|')
    .map((cell) => cell.trim());

/** Of tables in Markdown that have a column of codes, and behind it what each means; there may be several side by side. */
const rowsIn = (section: string): readonly Row[] =>
  [...section.matchAll(/^([ \t]*\|.*)\n[ \t]*\|[ :|-]+\n((?:[ \t]*\|.*(?:\n|$))+)/gm)].flatMap(
    ([, head = '', body = '']) => {
      const names = cellsOf(head);
      const columns = names.flatMap((name, at) => {
        if (!/\b(?:code|status|event)s?\b/i.test(name)) return [];
        // A reason may stand between a code and what it means.
        const to = names.findIndex((one, index) => index > at && index < at + 3 && MEANING.test(one));
        return to === -1 ? [] : [{ at, to }];
      });
      return body.split('\n').flatMap((line) => {
        const cells = cellsOf(line);
        return columns.flatMap(({ at, to }) =>
          rowOf(cells[at] ?? '', cells[to] ?? '', /return/i.test(names[at] ?? '')),
        );
      });
    },
  );

const listedIn = (section: string): readonly Row[] =>
  [...section.replaceAll(/\([^)]*\)/g, '').matchAll(LISTED)].flatMap(([, list = '']) =>
    list.split(/[,;]/).flatMap((one) => {
      const [, codes = '', means = ''] = /^\s*(\S+(?:\s*\/\s*\S+)*)(?:\s+(.*?))?\s*$/s.exec(one) ?? [];
      return codes.split('/').flatMap((code) => rowOf(code.trim(), means || code.trim(), false));
    }),
  );

const rowOf = (cell: string, means: string, isReturn: boolean): readonly Row[] => {
  const code = CODE.exec(cell)?.[1];
  return code === undefined || means === '' ? [] : [{ code, means: means.replaceAll(/[`*]/g, ''), isReturn }];
};

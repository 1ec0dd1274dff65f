/** What comments of a file say to lint, and secrets that stand in it whatever surrounds them. */
import { sourceText } from '../../mapping/source-text.ts';
import type { Finding, Findings } from '../finding.ts';
import { isRuleName, type RuleName, RULES } from '../rules.ts';
import { didYouMean } from '../../mapping/closest.ts';

const COMMENT = /(?:\/\*\s*|(?:^|[\t ])#\s*)(waybill-ignore|unconfirmed)\b[\t ]*([^\n]*)/gm;
const WAIVED = /^([\w-]*)[\t ]*(?::[\t ]*([^]*))?$/;
const ONLY_COMMENT = /^\s*(?:#.*|(?:\/\*.*?\*\/\s*)*)$/;

/** Unconfirmed suggestions, and texts that have the form of a secret. */
export const findNotes = (files: ReadonlyMap<string, string>, findings: Findings): void => {
  for (const [file, text] of files) {
    const source = sourceText(file, text);
    for (const { kind, at, rest } of commentsIn(text)) {
      if (kind !== 'unconfirmed') continue;
      const why = rest.replace(/^:\s*/, '');
      const message = why === '' ? 'not confirmed yet' : `not confirmed yet: ${why.slice(0, 100)}`;
      findings.report('unconfirmed', source.placeAt(at), message, 'check the marked value, then remove the comment');
    }
    for (const { form, name } of SECRETS) {
      for (const match of text.matchAll(form)) {
        const help = 'revoke it immediately, and declare it under credentials';
        findings.report('secret-in-file', source.placeAt(match.index), `this looks like ${name}`, help);
      }
    }
  }
};

const SECRETS: readonly { readonly form: RegExp; readonly name: string }[] = [
  { form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g, name: 'a private key' },
  { form: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g, name: 'a signed token' },
  { form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, name: 'a key of a cloud' },
  { form: /\b(?:sk|rk)_live_\w{16,}|\bgh[pousr]_\w{36,}|\bxox[abprs]-[\w-]{20,}/g, name: 'a key of an API' },
  { form: /\bhttps?:\/\/[^\s/:@$"'{}]+:[^\s/:@$"'{}]{8,}@/g, name: 'a password in a URL' },
];

const commentsIn = (text: string) =>
  [...text.matchAll(COMMENT)].map((match) => {
    const isBlock = match[0].startsWith('/*');
    const lead = match[0].length - match[0].trimStart().length;
    const rest = isBlock ? (match[2] ?? '').replace(/\*\/[^]*$/, '') : (match[2] ?? '');
    return { kind: match[1] ?? '', at: match.index + lead, rest: rest.trim() };
  });

/** `# waybill-ignore rule: reason` in YAML, the same between slashes and stars in JSONata. */
const waiversIn = (file: string, text: string) => {
  const source = sourceText(file, text);
  const lines = text.split(/\r\n|\n|\r/);
  return commentsIn(text).flatMap(({ kind, at, rest }) => {
    if (kind !== 'waybill-ignore') return [];
    const place = source.placeAt(at);
    const [, rule = '', reason = ''] = WAIVED.exec(rest) ?? [];
    let line = place.line;
    if (ONLY_COMMENT.test(lines[line - 1] ?? '')) {
      do line += 1;
      while (line <= lines.length && ONLY_COMMENT.test(lines[line - 1] ?? ''));
    }
    // The line it speaks of: its own, or the next one that is more than a comment.
    return [{ place, rule, reason: reason.trim(), line }];
  });
};

interface Waiving {
  /** What of the files belongs to the carrier alone, so that a waiver there speaks of nothing else. */
  isOwn(file: string): boolean;
  /** Rules whose findings need what is not at hand. */
  readonly idle: ReadonlySet<RuleName>;
}

/** Takes away the findings that are waived, and adds those about the waivers. */
export const applyWaivers = (
  found: readonly Finding[],
  files: ReadonlyMap<string, string>,
  findings: Findings,
  { isOwn, idle }: Waiving,
): readonly Finding[] => {
  const waivers = [...files].flatMap(([file, text]) => waiversIn(file, text));
  const waived = new Set<Finding>();
  for (const waiver of waivers) {
    const { place, rule, reason, line } = waiver;
    const fault = faultOf(rule, reason);
    if (fault !== undefined) {
      findings.report('bad-waiver', place, ...fault);
      continue;
    }
    const hits = found.filter(
      (each) => each.rule === rule && each.place.file === place.file && each.place.line === line,
    );
    for (const hit of hits) waived.add(hit);
    if (hits.length > 0 || !isOwn(place.file) || idle.has(rule as RuleName)) continue;
    findings.report('unused-waiver', place, `${rule} finds nothing in line ${line}`, 'remove the comment');
  }
  return found.filter((each) => !waived.has(each));
};

const faultOf = (rule: string, reason: string): readonly [message: string, help?: string] | undefined => {
  if (!isRuleName(rule)) {
    const help = didYouMean(rule, Object.keys(RULES));
    const message = rule === '' ? 'a waiver must name a rule' : `there is no rule "${rule.slice(0, 60)}"`;
    return help === undefined ? [message] : [message, help];
  }
  if (!('waivable' in RULES[rule]))
    return [`${rule} cannot be waived`, 'without it the carrier would not work, or not be safe'];
  return reason === '' ? ['a waiver needs a reason', `write waybill-ignore ${rule}: and the reason`] : undefined;
};

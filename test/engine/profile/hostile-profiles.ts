/** Profiles as somebody who means us harm would write them, each with what it tries. */
const head = (code: string): string =>
  `carrier: ${code}\nname: Example\nenvironments: { production: { url: 'https://carrier.example' } }\n`;

const laughs = Array.from(
  { length: 9 },
  (_, at) => `l${at + 1}: &l${at + 1} [${Array.from({ length: 9 }, () => (at === 0 ? 'ha' : `*l${at}`)).join(', ')}]`,
).join('\n');

/** By code; the rest of a profile goes before. */
const TAILS: Readonly<Record<string, string>> = {
  aliases: `${laughs}\nsettings: *l9\n`,
  circle: 'settings: &a { x: *a }\n',
  merge: 'base: &b { secret: true }\ncredentials: { token: { <<: *b } }\n',
  deep: `settings: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
  'deep-maps': `settings: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`,
  'deep-blocks': `settings:\n${Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at + 1)}a:`).join('\n')} 1\n`,
  'big-integer': 'limits: { concurrency: 99999999999999999999999999999999 }\n',
  'big-float': 'limits: { concurrency: 1e999 }\n',
  hexadecimal: 'limits: { concurrency: 0xFFFFFFFFFFFFFFFFFF }\n',
  octal: 'limits: { concurrency: 0777 }\n',
  sexagesimal: 'limits: { timeout: 190:20:30 }\n',
  norway: 'capabilities: { from: [NO, SE], to: NO, cod: NO }\n',
  'norway-keys': 'NO: yes\n',
  tags: 'settings: !!js/function "function () { process.exit(1) }"\n',
  binary: 'settings: !!binary "AAAA"\n',
  directive: '%YAML 1.1\n---\nsettings: {}\n',
  documents: '---\ncarrier: second\n---\ncarrier: third\n',
  prototype:
    '__proto__: { polluted: true }\nsettings: { __proto__: { polluted: true }, constructor: { prototype: { polluted: true } } }\n',
  'many-keys': `settings: {${Array.from({ length: 60_000 }, (_, at) => `k${at}: {}`).join(', ')}}\n`,
  'same-keys': `settings: {${'k: {}, '.repeat(60_000)}}\n`,
  'long-line': `name2: ${'x'.repeat(900_000)}\n`,
  large: `# ${'x'.repeat(1_100_000)}\n`,
  nul: 'settings: { "a\u0000b": {} }\n',
  quotes: `settings: ${'"'.repeat(100_001)}\n`,
  question: `${'? '.repeat(50_000)}a\n`,
  dashes: `settings: ${'- '.repeat(50_000)}a\n`,
  anchors: `settings: {${Array.from({ length: 20_000 }, (_, at) => `k${at}: &a${at} x`).join(', ')}}\n`,
  spaces: `settings:${' '.repeat(500_000)}\t{}\n`,
  extends: 'extends: ../../../../etc/passwd\n',
  itself: 'extends: itself\n',
  mapping: `operations: { create: { post: /x, body: { json: ../../../../../etc/passwd } } }\n`,
  pattern: "settings: { depot: { pattern: '^(a+)+$' } }\n",
};

export const HOSTILE_PROFILES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(TAILS).map(([code, tail]) => [code, code === 'directive' ? tail : head(code) + tail]),
);

/** Those that are in order as they stand: the words mean what they say and nothing else. */
export const HARMLESS: ReadonlySet<string> = new Set(['pattern', 'spaces']);

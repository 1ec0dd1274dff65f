/** Reads calls as manuals describe them: a method and a path in a sentence or heading, then bodies in code. */
import { Failure } from '../../engine/failure.ts';
import { answerOf, bodyOf, type Call, methodOf } from './sample.ts';

/** A heading, a method with its path, a block of code, or code within a line. */
const PART =
  /^#+[ \t]+(?=(?<heading>[^\n]*))|\b(?<method>GET|POST|PUT|PATCH|DELETE)[ \t]+(?<url>(?:https?:\/)?\/[^\s`*"'<>()|]*)`?|^[ \t]*```[^\n]*\n(?<block>[^]*?)^[ \t]*```|`(?!(?:GET|POST|PUT|PATCH|DELETE)\s)(?<code>[^`\n]+)`/gm;
const MESSAGE = /^(?:curl|GET|POST|PUT|PATCH|DELETE)\s/m;
const ANSWER = /\b[1-5]\d\d\b|\b(?:returns?|respon\w+|answers?|repl(?:y|ies))\b/i;
const FORM = /^[\w.-]+=[^&\s]*(?:&[\w.-]+=[^&\s]*)+$/;
const isBody = (text: string): boolean => /^(?:[[{]|<[\w?])[^]*[\]}>]$/.test(text) || FORM.test(text);

/** Whether calls are described in its sentences, and no block of code is a call by itself. */
export const isManual = (text: string): boolean => {
  const parts = [...text.matchAll(PART)].map(({ groups = {} }) => groups);
  const blocks = parts.flatMap(({ block }) => block ?? []);
  return (
    blocks.length > 0 &&
    parts.some(({ method }) => method !== undefined) &&
    !blocks.some((block) => MESSAGE.test(block))
  );
};

/** `from`: the file. The first body behind a call is sent, unless the words before it speak of an answer. */
export const readManual = (text: string, from: string): { readonly calls: Call[]; readonly ignored: string[] } => {
  const [calls, ignored]: [Call[], string[]] = [[], []];
  let about = '';
  let open: Call | undefined;
  let end = 0;
  const change = (more: Partial<Call>): void => {
    if (open === undefined) return;
    open = { ...open, ...more };
    calls[calls.length - 1] = open;
  };
  const readBody = (call: Call, body: string, lead: string): void => {
    const bytes = Buffer.from(body);
    const isAnswer = ANSWER.test(lead);
    if (isAnswer) {
      const status = Number(lead.match(/\b[1-5]\d\d\b/g)?.at(-1) ?? 200);
      change({ answers: [...call.answers, answerOf(status, bytes)] });
    } else if (call.request === undefined && call.method !== 'get') {
      const headers = FORM.test(body) ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
      change({ request: bodyOf(bytes, headers, call.from) });
    }
  };
  for (const { 0: whole, index, groups = {} } of text.matchAll(PART)) {
    const { heading, method, url = '', block, code } = groups;
    const line = text.slice(0, index).split('\n').length;
    const place = `${from}:${line}`;
    if (heading !== undefined) [about, open] = [heading, undefined];
    if (method !== undefined) {
      const path = url.replace(/[.,;:]+$/, '');
      open = { from: place, about, method: methodOf(method), url: path, headers: {}, request: undefined, answers: [] };
      calls.push(open);
    }
    const body = (block ?? code ?? '').trim();
    if (isBody(body)) {
      // What is said of it: the last sentence before it.
      const lead =
        text
          .slice(end, index)
          .split(/\n\s*\n(?=\s*\S)|[.;](?=\s)/)
          .at(-1) ?? '';
      try {
        if (open === undefined) ignored.push(`${place}: nothing says of which call this body is`);
        else readBody(open, body, lead);
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        ignored.push(thrown.message);
      }
    }
    if (code === undefined || isBody(body)) end = index + whole.length;
  }
  return { calls, ignored };
};

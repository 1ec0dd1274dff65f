/** An editor of one file: highlighting here, all that needs the language asked of the server. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import type { CompleteReply, ExplainReply } from '../../../src/cli/playground-shapes.ts';
import { jsonata } from './jsonata.ts';

export interface Found {
  readonly line: number;
  readonly column: number;
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly help?: string;
  readonly fix?: { readonly line: number; readonly column: number; readonly old: string; readonly text: string };
}

interface Props {
  readonly label: string;
  readonly path: string;
  readonly text: string;
  /** Ahead of `text` while somebody types faster than the page is drawn. */
  readonly textNow: () => string;
  readonly findings: readonly Found[];
  /** What is lit up. */
  readonly lit: readonly { readonly line: number; readonly column: number }[];
  /** The line that the cursor or the pointer is in; undefined: none. */
  readonly onPoint: (line: number | undefined) => void;
  readonly onChange: (text: string) => void;
  readonly complete: (path: string, text: string, offset: number) => Promise<CompleteReply>;
  readonly explain: (path: string, text: string, offset: number) => Promise<ExplainReply>;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.atom, tags.bool, tags.null], color: 'var(--busy)' },
  { tag: [tags.keyword, tags.definition(tags.propertyName)], color: 'var(--main)' },
  { tag: tags.variableName, color: 'var(--bad)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--ground)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--main) 8%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-lit': { backgroundColor: 'color-mix(in srgb, var(--busy) 28%, transparent)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--main)', color: 'var(--on-main)' },
  '.cm-meaning, .cm-completionInfo': { maxWidth: '32rem', padding: '0.4rem', whiteSpace: 'pre-wrap' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
});

const light = StateEffect.define<Props['lit']>();
const offsetAt = (doc: Text, line: number, column: number): number => {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(found.from + column - 1, found.to);
};
/** Of the word or text that begins there. */
const endAt = (doc: Text, from: number): number => {
  const rest = doc.sliceString(from, doc.lineAt(from).to);
  return from + Math.max(1, /^(?:"[^"]*"|'[^']*'|[$\w.-]+)/.exec(rest)?.[0].length ?? 1);
};

const litField = StateField.define({
  create: () => Decoration.none,
  update: (shown, { changes, effects, newDoc }) => {
    for (const effect of effects) {
      if (!effect.is(light)) continue;
      const lines = new Set(effect.value.map(({ line }) => line).filter((line) => line <= newDoc.lines));
      const marks = [...lines].toSorted((a, b) => a - b).map((line) => newDoc.line(line).from);
      return Decoration.set(marks.map((from) => Decoration.line({ class: 'cm-lit' }).range(from)));
    }
    return shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const diagnosticsOf = (doc: Text, findings: readonly Found[]): Diagnostic[] =>
  findings.map(({ line, column, severity, message, help, rule, fix }) => {
    const from = offsetAt(doc, line, column);
    return {
      from,
      to: Math.min(doc.length, endAt(doc, from)),
      severity: severity === 'error' ? 'error' : 'warning',
      source: rule,
      message: help === undefined ? message : `${message}: ${help}`,
      ...(fix && {
        actions: [
          {
            name: `Write ${fix.text}`,
            apply: (view: EditorView) => {
              const at = offsetAt(view.state.doc, fix.line, fix.column);
              if (view.state.sliceDoc(at, at + fix.old.length) === fix.old)
                view.dispatch({ changes: { from: at, to: at + fix.old.length, insert: fix.text } });
            },
          },
        ],
      }),
    };
  });

/** Always text, never markup. */
const meaningOf = ({ title = '', text = '' }: ExplainReply): HTMLElement => {
  const box = document.createElement('div');
  box.className = 'cm-meaning';
  for (const [name, content] of [
    ['strong', title],
    ['div', text],
  ] as const)
    box.append(Object.assign(document.createElement(name), { textContent: content }));
  return box;
};

const extensionsFor = (props: { readonly current: Props }): Extension[] => {
  const { label, path } = props.current;
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    path.endsWith('.jsonata') ? jsonata : path.endsWith('.yaml') ? yaml() : [],
    syntaxHighlighting(COLOURS),
    THEME,
    litField,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...lintKeymap,
    ]),
    autocompletion({
      override: [
        async (context) => {
          const { state, pos, explicit } = context;
          if (!explicit && context.matchBefore(/[\w$.]$/) === null) return null;
          const reply = await props.current.complete(path, state.doc.toString(), pos).catch(() => undefined);
          const { from, options = [] } = reply ?? {};
          if (from === undefined || options.length === 0) return null;
          const shown = options.map(({ label: name, kind, detail, info }) => ({
            label: name,
            type: kind,
            ...(detail !== undefined && { detail }),
            ...(info !== undefined && { info }),
          }));
          return { from, options: shown, validFor: /^\$?[\w-]*$/ };
        },
      ],
    }),
    hoverTooltip(async (view, pos) => {
      const found = await props.current.explain(path, view.state.doc.toString(), pos).catch(() => undefined);
      if (found?.from === undefined) return null;
      return { pos: found.from, ...(found.to && { end: found.to }), create: () => ({ dom: meaningOf(found) }) };
    }),
    EditorView.updateListener.of(({ docChanged, selectionSet, state, view }) => {
      if (docChanged) props.current.onChange(state.doc.toString());
      if (selectionSet && view.hasFocus) props.current.onPoint(state.doc.lineAt(state.selection.main.head).number);
    }),
    EditorView.domEventHandlers({
      mousemove: (event, view) => {
        const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
        props.current.onPoint(pos === null ? undefined : view.state.doc.lineAt(pos).number);
      },
      mouseleave: () => props.current.onPoint(undefined),
    }),
  ];
};

export const Editor = (props: Props) => {
  const { path, text, findings, lit } = props;
  const latest = useRef(props);
  latest.current = props;
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  /** Of files that were shown before, with their undo history. */
  const states = useRef(new Map<string, EditorState>());
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    // The policy of the page refuses style elements: within a shadow root they are style sheets.
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new EditorView({ parent: root, root });
    // The shortcuts of the page are not for those who type.
    const keep = (event: KeyboardEvent): void => event.stopPropagation();
    element.addEventListener('keydown', keep);
    made.scrollDOM.tabIndex = 0;
    setView(made);
    return () => {
      element.removeEventListener('keydown', keep);
      made.destroy();
    };
  }, []);
  useEffect(() => {
    const known = states.current.get(path);
    const doc = latest.current.text;
    view?.setState(
      known?.doc.toString() === doc ? known : EditorState.create({ doc, extensions: extensionsFor(latest) }),
    );
    return () => void (view && states.current.set(path, view.state));
  }, [view, path]);
  useEffect(() => {
    const now = latest.current.textNow();
    if (view !== undefined && view.state.doc.toString() !== now)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } });
  }, [view, text]);
  useEffect(() => {
    view?.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc, findings)));
  }, [view, findings, path]);
  useEffect(() => {
    if (view === undefined) return;
    const [first] = lit;
    const effects: StateEffect<unknown>[] = [light.of(lit)];
    if (first !== undefined && !view.hasFocus)
      effects.push(EditorView.scrollIntoView(offsetAt(view.state.doc, first.line, first.column), { y: 'nearest' }));
    view.dispatch({ effects });
  }, [view, lit, path]);
  return <div ref={host} className="editor" data-path={path} />;
};

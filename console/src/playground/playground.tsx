/** Writing a carrier and seeing it work: profile, mapping and case beside what they send and what comes of it. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type {
  BegunFiles,
  CompleteReply,
  CoverReply,
  Desk,
  ExplainReply,
  Files,
  LintReply,
  TryReply,
} from '../../../src/cli/playground-shapes.ts';
import { asRefused, call, type Refused, useAction, useRead } from '../api.ts';
import { For, useMay } from '../session.tsx';
import { Page, Trouble } from '../ui.tsx';
import { download, Save, SendToSandbox, TakeOrder } from './actions.tsx';
import { Begin } from './begin.tsx';
import { Editor, type Found } from './editor.tsx';
import { litValues, type Point, valuesOf } from './lighting.ts';
import { Outcome } from './outcome.tsx';
import { writePatch } from './patch.ts';

type Texts = Readonly<Record<string, string>>;
interface Work {
  readonly carrier: string;
  /** As the server has them, with their versions. */
  readonly saved: Readonly<Record<string, { readonly text: string; readonly version: string }>>;
  readonly texts: Texts;
}

/** Begun, or not saved yet: kept while another page is looked at. */
const works = new Map<string, Work>();

/** What follows the last key. */
const PAUSE_MS = 50;

export const Playground = ({ carrier }: { readonly carrier?: string | undefined }) => {
  const may = useMay('operate');
  if (may) return <Opened carrier={carrier} />;
  return (
    <Page title="Playground">
      <p>Carriers are written by operators: this takes the role operate.</p>
    </Page>
  );
};

const Opened = ({ carrier }: { readonly carrier?: string | undefined }) => {
  const [, navigate] = useLocation();
  const desk = useRead<Desk>('/admin/playground');
  const [work, setWork] = useState<Work>();
  const [error, setError] = useState<Refused>();
  useEffect(() => {
    setError(undefined);
    if (carrier === undefined) return;
    const known = works.get(carrier);
    if (known !== undefined) return setWork(known);
    setWork(undefined);
    call<Files>('GET', `/admin/playground/carriers/${encodeURIComponent(carrier)}`).then(
      ({ files }) => {
        const saved = Object.fromEntries(files.map(({ path, text, version }) => [path, { text, version }]));
        setWork({ carrier, saved, texts: Object.fromEntries(files.map(({ path, text }) => [path, text])) });
      },
      (thrown: unknown) => setError(asRefused(thrown)),
    );
  }, [carrier]);
  const change = useCallback((next: Work): void => {
    works.set(next.carrier, next);
    setWork(next);
  }, []);
  const begin = (code: string, { files, ignored, refuted }: BegunFiles): void => {
    works.set(code, {
      carrier: code,
      saved: {},
      texts: Object.fromEntries(files.map(({ path, text }) => [path, text])),
    });
    sessionNotes.set(code, [...refuted, ...ignored]);
    navigate(`/playground/${code}`);
  };
  if (carrier === undefined)
    return (
      <Page title="Playground">
        <Trouble error={desk.error} />
        {desk.reply !== undefined && <Begin desk={desk.reply} onBegun={begin} />}
      </Page>
    );
  return (
    <Page title={`Playground: ${carrier}`} aside={<Link href="/playground">Another carrier</Link>}>
      <Trouble error={error ?? desk.error} />
      {work?.carrier === carrier && desk.reply !== undefined && (
        <Desktop key={carrier} work={work} mayBeSaved={desk.reply.mayBeSaved} onChange={change} />
      )}
    </Page>
  );
};

/** What was not used of samples, or is doubtful, by carrier. */
const sessionNotes = new Map<string, readonly string[]>();

/** Of a case: an order that the carrier takes. */
const isCreate = (text: string): boolean => /^\s*-?\s*do: create$/m.test(text) && !text.includes('outcome:');

const PANES = [
  ['Profile', (path: string) => path.startsWith('carriers/')],
  ['Mapping', (path: string) => path.startsWith('mappings/')],
  ['Case', (path: string) => path.startsWith('fixtures/')],
] as const;

const Desktop = ({
  work,
  mayBeSaved,
  onChange,
}: {
  readonly work: Work;
  readonly mayBeSaved: boolean;
  readonly onChange: (work: Work) => void;
}) => {
  const { carrier, saved, texts } = work;
  const paths = Object.keys(texts).toSorted();
  const [shown, setShown] = useState<readonly (string | undefined)[]>(() =>
    PANES.map(([, isOf]) => {
      const own = paths.filter(isOf);
      const create = own.find((path) => /\/create\.(?:yaml|jsonata)$/.test(path));
      return create ?? own.find((path) => isCreate(texts[path] ?? '')) ?? own[0];
    }),
  );
  const cases = paths.filter((path) => path.startsWith(`fixtures/${carrier}/`) && path.endsWith('.yaml'));
  const [played, setPlayed] = useState(() => shown[2] ?? cases[0]);
  const files = useMemo(
    () => Object.fromEntries(Object.entries(texts).filter(([path, text]) => saved[path]?.text !== text)),
    [texts, saved],
  );
  const name = played?.split('/').at(-1);
  const { tried, covered, linted, error, behind } = useTried(carrier, files, name);
  const [point, setPoint] = useState<Point>();
  const values = useMemo(() => (tried?.played === undefined ? [] : valuesOf(tried.played)), [tried]);
  const lit = useMemo(() => litValues(point, values), [point, values]);
  const changes = Object.entries(files).map(([path, after]) => ({ path, before: saved[path]?.text, after }));
  const write = (path: string, text: string): void => {
    const latest = works.get(carrier) ?? work;
    onChange({ ...latest, texts: { ...latest.texts, [path]: text } });
  };
  const show = (path: string): void => {
    const pane = PANES.findIndex(([, isOf]) => isOf(path));
    if (texts[path] === undefined || pane === -1) return;
    setShown((before) => before.map((one, at) => (at === pane ? path : one)));
    if (cases.includes(path)) setPlayed(path);
  };
  const open = useRef(show);
  open.current = show;
  const openPlace = useCallback(({ file, line }: { readonly file: string; readonly line: number }): void => {
    open.current(file);
    setPoint({ kind: 'line', file, line });
  }, []);
  const ask = useRef({ carrier, files });
  ask.current = { carrier, files };
  /** Of a kind, only the latest question matters. */
  const asking = <Reply,>(verb: string) => {
    let stop = new AbortController();
    return async (path: string, text: string, offset: number): Promise<Reply> => {
      stop.abort();
      stop = new AbortController();
      const { carrier: code, files: edited } = ask.current;
      const body = { carrier: code, files: { ...edited, [path]: text }, path, offset };
      return await call<Reply>('POST', `/admin/playground/${verb}`, body, { signal: stop.signal });
    };
  };
  const [complete, explain] = useMemo(() => [asking<CompleteReply>('complete'), asking<ExplainReply>('explain')], []);
  const reload = useAction(async () => {
    await call('POST', '/admin/reload?only=changed');
  });
  const take = (id: number, text: string): void => {
    const path = `fixtures/_consignments/order-${id}.yaml`;
    const latest = works.get(carrier) ?? work;
    const edited = played === undefined ? {} : { [played]: withConsignment(texts[played] ?? '', `order-${id}`) };
    onChange({ ...latest, texts: { ...latest.texts, [path]: text, ...edited } });
  };
  const notes = sessionNotes.get(carrier) ?? [];
  const isUnsaved = changes.length > 0;
  useEffect(() => {
    const keep = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (isUnsaved) window.addEventListener('beforeunload', keep);
    return () => window.removeEventListener('beforeunload', keep);
  }, [isUnsaved]);
  return (
    <>
      <div className="filters bar">
        <label>
          Case that is played
          <select value={played ?? ''} onChange={({ target }) => show(target.value)}>
            {cases.map((path) => (
              <option key={path} value={path}>
                {path.split('/').at(-1)}
              </option>
            ))}
          </select>
        </label>
        <TakeOrder onTaken={take} />
        <button
          type="button"
          disabled={changes.length === 0}
          onClick={() => download(`${carrier}.patch`, writePatch(changes))}
        >
          Download the patch
        </button>
        {mayBeSaved && (
          <For role="administer">
            <Save
              carrier={carrier}
              changes={changes}
              versions={Object.fromEntries(Object.entries(saved).map(([path, { version }]) => [path, version]))}
              onSaved={(done) => {
                const now = Object.fromEntries(
                  done.map(({ path, version }) => [path, { text: files[path] ?? '', version }]),
                );
                const latest = works.get(carrier) ?? work;
                onChange({ ...latest, saved: { ...latest.saved, ...now } });
              }}
            />
          </For>
        )}
        <button type="button" disabled={reload.busy} onClick={() => reload.run()}>
          Reload profiles
        </button>
        {name !== undefined && <SendToSandbox carrier={carrier} case={name} files={files} />}
        <span role="status" className="faint" data-state={behind ?? 'none'}>
          {behind === 'all' ? 'Working …' : `${changes.length} unsaved`}
        </span>
      </div>
      <Trouble error={error ?? reload.error} />
      {notes.length > 0 && (
        <details>
          <summary>{notes.length} notes on the samples</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      {linted !== undefined && <ToConfirm findings={linted.findings} texts={texts} onWrite={write} onShow={show} />}
      <div className="desk">
        {PANES.map(([title, isOf], pane) => {
          const path = shown[pane];
          return (
            <Pane
              key={title}
              title={title}
              paths={paths.filter(isOf)}
              path={path}
              text={path === undefined ? '' : (texts[path] ?? '')}
              textNow={(one) => works.get(carrier)?.texts[one] ?? texts[one] ?? ''}
              findings={linted?.findings ?? NONE}
              lit={lit}
              point={point}
              onShow={show}
              onPoint={setPoint}
              onChange={write}
              complete={complete}
              explain={explain}
            />
          );
        })}
        {tried !== undefined && (
          <Outcome tried={tried} covered={covered} lit={lit} onPoint={setPoint} onOpen={openPlace} />
        )}
      </div>
    </>
  );
};

const NONE: TryReply['findings'] = [];

/** What becomes of the draft, its case first and what lint finds last; the last answers stay while the next are worked on. */
const useTried = (carrier: string, files: Texts, name: string | undefined) => {
  const [state, setState] = useState<{
    readonly tried?: TryReply;
    readonly covered?: CoverReply;
    readonly linted?: LintReply;
    readonly error?: Refused | undefined;
  }>({});
  const [behind, setBehind] = useState<'all' | 'cases' | 'findings' | undefined>('all');
  useEffect(() => {
    const stop = new AbortController();
    setBehind('all');
    const ask = async (): Promise<void> => {
      const { signal } = stop;
      try {
        const body = { carrier, files, ...(name !== undefined && { case: name }) };
        const tried = await call<TryReply>('POST', '/admin/playground/try', body, { signal });
        if (signal.aborted) return;
        setState((before) => ({ ...before, tried, error: undefined }));
        setBehind('cases');
        const covered = await call<CoverReply>('POST', '/admin/playground/cover', { carrier, files }, { signal });
        if (signal.aborted) return;
        setState((before) => ({ ...before, covered }));
        setBehind('findings');
        const linted = await call<LintReply>('POST', '/admin/playground/lint', body, { signal });
        if (signal.aborted) return;
        setState((before) => ({ ...before, linted }));
      } catch (error) {
        if (signal.aborted) return;
        setState((before) => ({ ...before, error: asRefused(error) }));
      }
      setBehind(undefined);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [carrier, files, name]);
  return { ...state, behind };
};

interface PaneProps {
  readonly title: string;
  readonly paths: readonly string[];
  readonly path: string | undefined;
  readonly text: string;
  readonly textNow: (path: string) => string;
  readonly findings: TryReply['findings'];
  readonly lit: ReadonlySet<{ readonly file: string; readonly line: number; readonly column: number }>;
  readonly point: Point | undefined;
  readonly onShow: (path: string) => void;
  readonly onPoint: (point: Point | undefined) => void;
  readonly onChange: (path: string, text: string) => void;
  readonly complete: (path: string, text: string, offset: number) => Promise<CompleteReply>;
  readonly explain: (path: string, text: string, offset: number) => Promise<ExplainReply>;
}

const Pane = ({
  title,
  paths,
  path,
  text,
  textNow,
  findings,
  lit,
  point,
  onShow,
  onPoint,
  onChange,
  ...asks
}: PaneProps) => {
  const own = useMemo<readonly Found[]>(() => findings.filter(({ file }) => file === path), [findings, path]);
  const places = useMemo(() => {
    const pointed = point?.kind === 'line' && point.file === path ? [{ line: point.line, column: 1 }] : [];
    return [...[...lit].filter(({ file }) => file === path), ...(lit.size > 0 ? [] : pointed)];
  }, [lit, point, path]);
  return (
    <section className="pane" aria-label={title}>
      <header className="title">
        <h2>{title}</h2>
        {paths.length > 1 && (
          <select aria-label={`File of ${title}`} value={path} onChange={({ target }) => onShow(target.value)}>
            {paths.map((one) => (
              <option key={one} value={one}>
                {one.split('/').slice(1).join('/')}
              </option>
            ))}
          </select>
        )}
        {own.length > 0 && <span className="faint">{own.length} findings</span>}
      </header>
      {path === undefined ? (
        <p className="empty">There is none.</p>
      ) : (
        <Editor
          label={`${title}: ${path}`}
          path={path}
          text={text}
          textNow={() => textNow(path)}
          findings={own}
          lit={places}
          onPoint={(line) => onPoint(line === undefined ? undefined : { kind: 'line', file: path, line })}
          onChange={(now) => onChange(path, now)}
          {...asks}
        />
      )}
    </section>
  );
};

/** Guesses that a new carrier is made of, each with the line it stands in. */
const ToConfirm = ({
  findings,
  texts,
  onWrite,
  onShow,
}: {
  readonly findings: TryReply['findings'];
  readonly texts: Texts;
  readonly onWrite: (path: string, text: string) => void;
  readonly onShow: (path: string) => void;
}) => {
  const open = findings.filter(({ rule }) => rule === 'unconfirmed');
  const [next] = open;
  if (next === undefined) return null;
  const { file, line, message } = next;
  const confirm = (marks: typeof open): void => {
    for (const [path, own] of Map.groupBy(marks, (mark) => mark.file))
      onWrite(
        path,
        own.toReversed().reduce((text, mark) => confirmed(text, mark.line, mark.column), texts[path] ?? ''),
      );
  };
  return (
    <div className="trouble busy" role="status">
      <strong>{open.length} guesses to confirm.</strong> {message}, in {file}:{line}
      <pre>{texts[file]?.split('\n')[line - 1]}</pre>
      <button type="button" onClick={() => onShow(file)}>
        Show it
      </button>{' '}
      <button type="button" onClick={() => confirm([next])}>
        It is right
      </button>{' '}
      <button type="button" onClick={() => confirm(open)}>
        All are right
      </button>
    </div>
  );
};

/** Without the mark at that place, and without its line where it is alone there. */
const confirmed = (text: string, line: number, column: number): string => {
  const lines = text.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, column - 1);
  const mark = /^(?:\/\*[^]*?\*\/[ \t]?|#[^\n]*)/.exec(text.slice(from))?.[0] ?? '';
  const before = text.slice(0, from);
  const after = text.slice(from + mark.length);
  if (/(?:^|\n)[ \t]*$/.test(before) && after.startsWith('\n')) return before.replace(/[ \t]*$/, '') + after.slice(1);
  return mark.startsWith('#') ? before.replace(/[ \t]+$/, '') + after : before + after;
};

/** The case with another consignment given, where it names one. */
const withConsignment = (text: string, name: string): string =>
  text.replace(/(\bconsignment:[ \t]*)["']?[\w.-]+["']?(?=[ \t]*(?:[,}\n]|$))/, `$1${name}`);

/** The frame around all pages: navigation, search, keyboard shortcuts. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useAction, useSlow } from './api.ts';
import { Ask, moveByKey, Page, Trouble } from './ui.tsx';
import { Carrier } from './pages/carrier.tsx';
import { Carriers } from './pages/carriers.tsx';
import { Consignment } from './pages/consignment.tsx';
import { Consignments } from './pages/consignments.tsx';
import { Fleet } from './pages/fleet.tsx';
import { Inboxes } from './pages/inboxes.tsx';
import { Onboarding } from './pages/onboarding.tsx';
import { Overview } from './pages/overview.tsx';
import { People } from './pages/people.tsx';
import { Settings } from './pages/settings.tsx';
import { Webhooks } from './pages/webhooks.tsx';
import { SignedIn, signOut, useWho } from './session.tsx';

const PLACES = [
  ['/', 'Overview', 'o'],
  ['/consignments', 'Consignments', 'c'],
  ['/inboxes', 'Inboxes', 'i'],
  ['/webhooks', 'Webhooks', 'w'],
  ['/carriers', 'Carriers', 'r'],
  ['/onboarding', 'Onboarding', 'b'],
  ['/playground', 'Playground', 'y'],
  ['/fleet', 'Fleet', 'f'],
  ['/people', 'People', 'p'],
  ['/settings', 'Settings', 's'],
] as const;

/** With its editor, which is larger than all else: loaded when it is opened. */
const Playground = lazy(async () => ({ default: (await import('./playground/playground.tsx')).Playground }));

export const App = () => (
  <SignedIn>
    <Frame />
  </SignedIn>
);

const Frame = () => {
  const [location, navigate] = useLocation();
  const { actor, role } = useWho();
  const search = useRef<HTMLInputElement>(null);
  const [isHelping, setHelping] = useState(false);
  const leave = useAction(signOut);
  const isSlow = useSlow();
  useKeys({
    '/': () => search.current?.focus(),
    '?': () => setHelping(true),
    ...Object.fromEntries(PLACES.map(([href, , key]) => [`g${key}`, () => navigate(href)])),
  });
  return (
    <div className="frame">
      {isSlow && <div className="progress" role="progressbar" aria-label="Working" />}
      <nav aria-label="Pages">
        <strong className="brand">Waybill</strong>
        {PLACES.map(([href, name]) => (
          <Link key={href} href={href} aria-current={isAt(location, href) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="top">
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            navigate(`/consignments?number=${encodeURIComponent(search.current?.value.trim() ?? '')}`);
          }}
        >
          <input
            ref={search}
            type="search"
            aria-label="Find a consignment by any of its numbers"
            placeholder="Tracking, reference or order number   /"
          />
        </form>
        <span className="faint">
          {actor} · {role}
        </span>
        <a href="/docs">Docs</a>
        <button type="button" className="quiet" onClick={() => setHelping(true)}>
          Shortcuts
        </button>
        <button type="button" className="quiet" disabled={leave.busy} onClick={() => leave.run()}>
          Sign out
        </button>
        <Trouble error={leave.error} />
      </div>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/consignments" component={Consignments} />
        <Route path="/consignments/:id">{({ id }) => <Consignment id={id} />}</Route>
        <Route path="/inboxes/:kind?">{({ kind }) => <Inboxes kind={kind ?? 'held'} />}</Route>
        <Route path="/webhooks" component={Webhooks} />
        <Route path="/carriers" component={Carriers} />
        <Route path="/carriers/:code/:tab?">
          {({ code, tab }) => <Carrier key={code} code={code} tab={tab ?? 'profile'} />}
        </Route>
        <Route path="/onboarding" component={Onboarding} />
        <Route path="/settings" component={Settings} />
        <Route path="/playground/:carrier?">
          {({ carrier }) => (
            <Suspense fallback={<p className="faint">Loading …</p>}>
              <Playground carrier={carrier} />
            </Suspense>
          )}
        </Route>
        <Route path="/fleet" component={Fleet} />
        <Route path="/people" component={People} />
        <Route>
          <Page title="Page not found">
            <p>
              There is no such page. <Link href="/">Go to the overview</Link>
            </p>
          </Page>
        </Route>
      </Switch>
      <Ask open={isHelping} title="Keyboard shortcuts" onClose={() => setHelping(false)}>
        <dl className="facts">
          {[
            ['/', 'find a consignment'],
            ['j, k', 'move down and up a list'],
            ['Enter', 'open'],
            ['Space', 'select'],
            ['Esc', 'close a dialog'],
            ...PLACES.map(([, name, key]) => [`g ${key}`, `go to ${name}`]),
            ['?', 'show these shortcuts'],
          ].map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Ask>
    </div>
  );
};

const isAt = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);

const WRITTEN = 'input:not([type=checkbox], [type=radio]), textarea, select';

/** Shortcuts of one key, or of two in a row, except while typing or in a dialog. */
const useKeys = (acts: Readonly<Record<string, () => void>>): void => {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    let before = '';
    const heard = (event: KeyboardEvent): void => {
      const isWriting = (event.target as Element).closest(WRITTEN) !== null;
      const isAsked = document.querySelector('[role=dialog]') !== null;
      if (isWriting || isAsked || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = latest.current[`${before}${event.key}`] ?? latest.current[event.key];
      before = act === undefined ? event.key : '';
      if (act === undefined) return moveByKey(event);
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', heard);
    return () => document.removeEventListener('keydown', heard);
  }, []);
};

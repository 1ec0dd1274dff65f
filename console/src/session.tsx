/** Who is signed in, and signing in. */
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { call, onSession, Refused, useAction, useCsrfToken, useRead } from './api.ts';
import { Trouble } from './ui.tsx';

export type Role = 'read' | 'operate' | 'administer';
interface Who {
  readonly actor: string;
  readonly role: Role;
  readonly id?: string;
  readonly csrfToken?: string;
}
const ROLES: readonly Role[] = ['read', 'operate', 'administer'];

const Session = createContext<Who | undefined>(undefined);

export const useWho = (): Who => {
  const who = useContext(Session);
  if (who === undefined) throw new Error('nobody is signed in');
  return who;
};

export const useMay = (role: Role): boolean => ROLES.indexOf(useWho().role) >= ROLES.indexOf(role);

/** Shows a control only to those whose role allows it; the routes refuse the others in any case. */
export const For = ({ role, children }: { readonly role: Role; readonly children: ReactNode }) =>
  useMay(role) ? children : null;

export const signOut = async (): Promise<void> => {
  await call('DELETE', '/admin/session');
  window.location.reload();
};

export const SignedIn = ({ children }: { readonly children: ReactNode }) => {
  const [who, setWho] = useState<Who | 'nobody' | undefined>();
  const [error, setError] = useState<Refused>();
  const begin = (one: Who): void => {
    useCsrfToken(one.csrfToken ?? '');
    setWho(one);
  };
  useEffect(() => {
    const read = (): void =>
      void call<Who>('GET', '/admin/session').then(begin, (thrown: unknown) => {
        if (thrown instanceof Refused && thrown.status !== 401) setError(thrown);
      });
    onSession({ ended: () => setWho('nobody'), changed: read });
    read();
  }, []);
  if (who === 'nobody') return <SignIn onDone={begin} />;
  if (who === undefined) return <Trouble error={error} />;
  return <Session value={who}>{children}</Session>;
};

/** Why single sign-on led back here. */
const TROUBLES: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, or was begun in another window: begin it again',
  denied: 'The identity provider did not let you sign in',
  'no-role': 'You are in no group that may use this console: ask whoever administers it',
  unavailable: 'The identity provider could not be asked, or answered what is not valid: the server’s log says what',
};

const SingleSignOn = () => {
  const { reply } = useRead<{ readonly singleSignOn?: string }>('/admin/session/ways');
  const { pathname, search } = window.location;
  const trouble = TROUBLES[new URLSearchParams(search).get('trouble') ?? ''];
  if (reply?.singleSignOn === undefined) return null;
  const to = trouble === undefined ? `${pathname}${search}`.replace(/^\/console/, '') : '';
  return (
    <>
      {trouble !== undefined && <Trouble error={new Refused(401, trouble)} />}
      <a href={`${reply.singleSignOn}?to=${encodeURIComponent(to)}`}>Sign in with single sign-on</a>
      <hr />
    </>
  );
};

const SignIn = ({ onDone }: { readonly onDone: (who: Who) => void }) => {
  const [token, setToken] = useState('');
  const { run, busy, error } = useAction(async () => {
    await call('POST', '/admin/session', undefined, { token: token.trim() });
    const who = await call<Who>('GET', '/admin/session').catch((thrown: unknown) => {
      throw thrown instanceof Refused && thrown.status === 401
        ? new Refused(401, 'The browser did not keep the session cookie: use HTTPS, or allow cookies')
        : thrown;
    });
    onDone(who);
  });
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <h1>Waybill</h1>
        <SingleSignOn />
        <label>
          Operator’s token
          <input
            type="password"
            autoComplete="off"
            required
            autoFocus
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        <Trouble error={error} />
        <button type="submit" className="main" disabled={busy}>
          Sign in
        </button>
        <p className="faint">
          Started without <code>WAYBILL_ADMIN_TOKEN</code>, the server prints where it keeps the administrator’s token.
        </p>
      </form>
    </main>
  );
};

/** Issues a token, which is shown once. */
import { useState } from 'react';
import { call, useAction } from '../api.ts';
import { Ask, Copy } from '../ui.tsx';

export type TokenOwner =
  | { readonly kind: 'shipper' | 'carrier'; readonly code: string }
  /** Their name is asked for. */
  | { readonly kind: 'operator' };

const ROLES = {
  read: 'read: sees everything except secrets',
  operate: 'operate: also acts on consignments, webhooks and limits',
  administer: 'administer: also manages shippers, accounts and tokens',
};
const ENVIRONMENTS = { production: 'production', sandbox: 'sandbox' };
const OF_CARRIERS = { '': 'both environments', ...ENVIRONMENTS };

export const IssueToken = ({ of, onDone }: { readonly of: TokenOwner; readonly onDone: () => void }) => {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const scopes = of.kind === 'operator' ? ROLES : of.kind === 'carrier' ? OF_CARRIERS : ENVIRONMENTS;
  const [scope, setScope] = useState(Object.keys(scopes)[0] ?? '');
  const [expiresAt, setExpiresAt] = useState('');
  const [issued, setIssued] = useState<string>();
  const code = of.kind === 'operator' ? name : of.code;
  const issue = useAction(async () => {
    const scoped = of.kind === 'operator' ? { role: scope } : scope === '' ? {} : { environment: scope };
    const { token } = await call<{ token: string }>('POST', `/admin/${of.kind}s/${encodeURIComponent(code)}/tokens`, {
      ...scoped,
      ...(expiresAt === '' ? {} : { expiresAt }),
    });
    setIssued(token);
    onDone();
  });
  const close = (): void => {
    setOpen(false);
    setIssued(undefined);
  };
  const title = of.kind === 'operator' ? 'New operator' : `New token for ${of.kind} ${of.code}`;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {of.kind === 'operator' ? 'New operator …' : 'Issue token …'}
      </button>
      <Ask
        open={isOpen}
        title={title}
        busy={issue.busy}
        error={issue.error}
        onClose={close}
        {...(issued === undefined ? { confirm: 'Issue token', onConfirm: () => issue.run() } : {})}
      >
        {issued === undefined ? (
          <>
            {of.kind === 'operator' && (
              <label>
                Name, as in the audit log
                <input required value={name} onChange={({ target }) => setName(target.value.trim())} />
              </label>
            )}
            <label>
              {of.kind === 'operator' ? 'Role' : 'Environment'}
              <select value={scope} onChange={({ target }) => setScope(target.value)}>
                {Object.entries(scopes).map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Expires (optional)
              <input type="date" value={expiresAt} onChange={({ target }) => setExpiresAt(target.value)} />
            </label>
          </>
        ) : (
          <Once token={issued} />
        )}
      </Ask>
    </>
  );
};

/** What is shown this once. */
export const Once = ({ token }: { readonly token: string }) => (
  <p role="status">
    Copy it now; it is not shown again: <code className="token">{token}</code> <Copy text={token} what="token" />
  </p>
);

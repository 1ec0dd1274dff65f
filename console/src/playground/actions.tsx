/** What is done with a draft: taking an order from the records, saving, a patch, sending it to a sandbox. */
import { useEffect, useState } from 'react';
import type { SaveReply, SendReply } from '../../../src/cli/playground-shapes.ts';
import { asRefused, call, type Refused, useAction, useList, useRead, withQuery } from '../api.ts';
import type { Account, Listed } from '../types.ts';
import { Ask, Code, Facts, State, Time, Trouble } from '../ui.tsx';
import { type Change, writePatch } from './patch.ts';

export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/x-patch' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

export const Save = ({
  carrier,
  changes,
  versions,
  onSaved,
}: {
  readonly carrier: string;
  readonly changes: readonly Change[];
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly onSaved: (saved: SaveReply['saved']) => void;
}) => {
  const [isAsked, setAsked] = useState(false);
  const save = useAction(async () => {
    const files = changes.map(({ path, after: text }) => {
      const version = versions[path];
      return { path, text, ...(version !== undefined && { version }) };
    });
    const { saved } = await call<SaveReply>('POST', '/admin/playground/save', { carrier, files });
    setAsked(false);
    onSaved(saved);
  });
  return (
    <>
      <button type="button" disabled={changes.length === 0} onClick={() => setAsked(true)}>
        Save …
      </button>
      <Ask
        open={isAsked}
        title={`Save ${changes.length} ${changes.length === 1 ? 'file' : 'files'} of ${carrier}`}
        confirm="Save"
        busy={save.busy}
        error={save.error}
        onConfirm={() => save.run()}
        onClose={() => setAsked(false)}
      >
        <p>They are written into the home of this server, and count once the profiles are reloaded.</p>
        <Code what="patch" text={writePatch(changes)} />
      </Ask>
    </>
  );
};

export const TakeOrder = ({ onTaken }: { readonly onTaken: (id: number, text: string) => void }) => {
  const [isAsked, setAsked] = useState(false);
  const take = useAction(async (id: number) => {
    const { text } = await call<{ text: string }>('GET', `/admin/playground/consignments/${id}`);
    setAsked(false);
    onTaken(id, text);
  });
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Take an order …
      </button>
      <Ask open={isAsked} title="An order as the given consignment" onClose={() => setAsked(false)}>
        <p>People in it are replaced by invented ones.</p>
        <Trouble error={take.error} />
        <Orders onTake={take.run} />
      </Ask>
    </>
  );
};

const Orders = ({ onTake }: { readonly onTake: (id: number) => void }) => {
  const [number, setNumber] = useState('');
  const { entries, error } = useList<Listed>(withQuery('/admin/consignments', { number, limit: '20' }));
  return (
    <>
      <label>
        Any of its numbers
        <input
          type="search"
          onBlur={({ target }) => setNumber(target.value.trim())}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            setNumber(event.currentTarget.value.trim());
          }}
        />
      </label>
      <Trouble error={error} />
      <ul className="values">
        {entries?.map(({ id, referenceNumber, shipper, carrierCode, createdAt }) => (
          <li key={id}>
            <button type="button" className="quiet" onClick={() => onTake(id)}>
              {referenceNumber}
            </button>
            <span>
              {shipper}, {carrierCode}, <Time at={createdAt} />
            </span>
          </li>
        ))}
        {entries?.length === 0 && <li>There is none.</li>}
      </ul>
    </>
  );
};

interface Sending {
  readonly carrier: string;
  readonly case: string;
  readonly files: Readonly<Record<string, string>>;
}

export const SendToSandbox = (sending: Sending) => {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Send to a sandbox account …
      </button>
      {isAsked && <AskToSend {...sending} onClose={() => setAsked(false)} />}
    </>
  );
};

const AskToSend = ({ onClose, ...sending }: Sending & { readonly onClose: () => void }) => {
  const { carrier } = sending;
  const accounts = useRead<{ data: readonly Account[] }>(
    withQuery('/admin/accounts', { carrier, environment: 'sandbox' }),
  );
  const usable = accounts.reply?.data.filter(({ environment }) => environment === 'sandbox');
  const [chosen, setChosen] = useState<number>();
  const account = chosen ?? usable?.[0]?.id;
  const [would, setWould] = useState<SendReply>();
  const [refused, setRefused] = useState<Refused>();
  const [done, setDone] = useState<SendReply>();
  const wanted = JSON.stringify({ ...sending, account });
  useEffect(() => {
    if (account === undefined) return;
    const body = { ...(JSON.parse(wanted) as object), dryRun: true };
    setWould(undefined);
    setRefused(undefined);
    call<SendReply>('POST', '/admin/playground/send', body).then(setWould, (error: unknown) =>
      setRefused(asRefused(error)),
    );
  }, [wanted, account]);
  const send = useAction(async () =>
    setDone(await call<SendReply>('POST', '/admin/playground/send', JSON.parse(wanted))),
  );
  const isPossible = would !== undefined && done === undefined;
  return (
    <Ask
      open
      title={`Send the create to ${carrier}`}
      busy={send.busy}
      error={send.error ?? refused ?? accounts.error}
      onClose={onClose}
      {...(isPossible && { confirm: 'Send it', onConfirm: () => send.run() })}
    >
      {usable?.length === 0 && <p>No shipper has a sandbox account with it: make one first.</p>}
      {usable !== undefined && usable.length > 0 && (
        <label>
          Account
          <select value={account} onChange={({ target }) => setChosen(Number(target.value))}>
            {usable.map(({ id, shipper }) => (
              <option key={id} value={id}>
                {id}, of {shipper}
              </option>
            ))}
          </select>
        </label>
      )}
      {would !== undefined && done === undefined && (
        <div role="status">
          <p>
            With account {would.account} of {would.shipper} in the {would.environment}, the carrier is really asked, and
            may make a shipment:
          </p>
          {would.baseUrl !== undefined && (
            <p>The account sends to {would.baseUrl} in place of the URL of the profile.</p>
          )}
          <ul>
            {would.would.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {done !== undefined && (
        <div role="status">
          <Facts
            of={[
              ['Outcome', <State key="outcome" word={done.outcome} />],
              ['Why', done.problem],
              [
                'Asked',
                done.asked?.map(({ method, url, status }) => `${method} ${url}: ${status ?? 'no answer'}`).join('; '),
              ],
            ]}
          />
          {done.result !== undefined && <Code what="result" text={JSON.stringify(done.result)} />}
        </div>
      )}
    </Ask>
  );
};

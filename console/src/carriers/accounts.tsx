/** Shippers' accounts with a carrier: a form of the fields that the profile declares, and a check of the credentials. */
import { useState } from 'react';
import { call, Refused, useAction, useList } from '../api.ts';
import { For } from '../session.tsx';
import { Table } from '../table.tsx';
import type { Account, AccountField, CarrierWhole, Checked, Shipper } from '../types.ts';
import { Ask, type DialogProps, Section, State, Trouble } from '../ui.tsx';

export const Accounts = ({ of: carrier }: { readonly of: CarrierWhole }) => {
  const list = useList<Account>(`/admin/accounts?carrier=${encodeURIComponent(carrier.code)}`);
  const [editing, setEditing] = useState<Partial<Account>>();
  const [checked, setChecked] = useState<string>();
  const check = useAction(async (id: number) => {
    setChecked(undefined);
    const { result, code, messages = [] } = await call<Checked>('POST', `/admin/accounts/${id}/check`);
    switch (result) {
      case 'good':
        return setChecked(`The carrier accepts the credentials of account ${id}.`);
      case 'nothing_to_ask':
        return setChecked(`Account ${id}: the profile offers nothing that can be called without side effects.`);
      default:
        throw new Refused(0, `Account ${id}: ${code ?? result}`, messages);
    }
  });
  const fields = [...carrier.credentials, ...carrier.settings];
  return (
    <>
      <Section
        title="Accounts"
        aside={
          <For role="administer">
            <button type="button" onClick={() => setEditing({})}>
              New account …
            </button>
          </For>
        }
      >
        <Trouble error={check.error} />
        <p role="status" className="good">
          {checked}
        </p>
        <Table
          what="Accounts"
          list={list}
          keyOf={({ id }) => String(id)}
          empty={<p>No shipper has an account with this carrier yet. An administrator creates one here.</p>}
          columns={[
            { name: 'Account', show: ({ id }) => id },
            { name: 'Shipper', show: ({ shipper }) => shipper },
            { name: 'Environment', show: ({ environment }) => environment },
            { name: 'State', show: ({ state }) => <State word={state} /> },
            { name: 'Base URL', show: ({ baseUrl }) => baseUrl },
            {
              name: 'Actions',
              show: (account) => (
                <>
                  <For role="operate">
                    <button type="button" disabled={check.busy} onClick={() => check.run(account.id)}>
                      {check.busy ? 'Checking …' : 'Check credentials'}
                    </button>{' '}
                  </For>
                  <For role="administer">
                    <button type="button" onClick={() => setEditing(account)}>
                      Edit …
                    </button>
                  </For>
                </>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Fields of an account">
        <Table
          what="Fields of an account"
          list={{ entries: fields, error: undefined, more: undefined }}
          keyOf={({ name, secret }) => `${name} ${secret}`}
          empty={<p>None: the carrier needs no credentials or settings.</p>}
          columns={[
            { name: 'Field', show: ({ name }) => <code>{name}</code> },
            { name: 'Description', show: ({ title }) => title },
            { name: 'Type', show: ({ type, oneOf }) => oneOf?.join(', ') ?? type },
            { name: 'Secret', show: ({ secret }) => (secret ? 'yes' : 'no') },
            {
              name: 'Required',
              show: ({ optional, fromRegister }) => (fromRegister ? 'by register' : optional ? 'no' : 'yes'),
            },
          ]}
        />
      </Section>
      {editing !== undefined && (
        <Edit
          carrier={carrier}
          known={editing}
          onClose={() => setEditing(undefined)}
          onDone={() => {
            setEditing(undefined);
            list.reload();
          }}
        />
      )}
    </>
  );
};

type Values = Readonly<Record<string, string>>;

interface EditProps extends DialogProps {
  readonly carrier: CarrierWhole;
  readonly known: Partial<Account>;
}

const Edit = ({ carrier, known, onClose, onDone }: EditProps) => {
  const shippers = useList<Shipper>('/admin/shippers?limit=500');
  const isNew = known.id === undefined;
  const [shipper, setShipper] = useState(known.shipper ?? '');
  const [environment, setEnvironment] = useState(known.environment ?? carrier.environments[0]?.name ?? 'production');
  const [credentials, setCredentials] = useState<Values>({});
  const [settings, setSettings] = useState<Values>(() =>
    Object.fromEntries(Object.entries(known.settings ?? {}).map(([name, value]) => [name, String(value)])),
  );
  const save = useAction(async () => {
    await call('PUT', '/admin/accounts', {
      shipper,
      carrier: carrier.code,
      environment,
      credentials: valuesOf(carrier.credentials, credentials),
      settings: valuesOf(carrier.settings, settings),
    });
    onDone();
  });
  return (
    <Ask
      open
      title={isNew ? `New account with ${carrier.name}` : `Account of ${known.shipper} with ${carrier.name}`}
      confirm="Save"
      busy={save.busy}
      error={save.error}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <label>
        Shipper
        {isNew ? (
          <select required value={shipper} onChange={({ target }) => setShipper(target.value)}>
            <option value="">choose one</option>
            {shippers.entries?.map(({ code }) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        ) : (
          <input readOnly value={shipper} />
        )}
      </label>
      <label>
        Environment
        {isNew ? (
          <select value={environment} onChange={({ target }) => setEnvironment(target.value)}>
            {carrier.environments.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <input readOnly value={environment} />
        )}
      </label>
      {!isNew && <p className="note">Saved credentials are never shown: enter all of them again.</p>}
      <FieldInputs fields={carrier.credentials} values={credentials} onChange={setCredentials} />
      <FieldInputs fields={carrier.settings} values={settings} onChange={setSettings} />
    </Ask>
  );
};

const FieldInputs = ({
  fields,
  values,
  onChange,
}: {
  readonly fields: readonly AccountField[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}) =>
  fields
    .filter(({ fromRegister }) => !fromRegister)
    .map((field) => {
      const { name, title = name, secret, optional, type, oneOf, pattern, example } = field;
      const set = (value: string): void => onChange({ ...values, [name]: value });
      const isNeeded = !optional && field.default === undefined;
      const choices = oneOf ?? (type === 'boolean' ? [true, false] : undefined);
      return (
        <label key={name}>
          {title}
          {!isNeeded && ' (optional)'}
          {choices === undefined ? (
            <input
              required={isNeeded}
              type={secret ? 'password' : 'text'}
              autoComplete="off"
              inputMode={type === 'number' || type === 'integer' ? 'decimal' : undefined}
              pattern={pattern}
              placeholder={textOf(field.default ?? example)}
              value={values[name] ?? ''}
              onChange={({ target }) => set(target.value)}
            />
          ) : (
            <select required={isNeeded} value={values[name] ?? ''} onChange={({ target }) => set(target.value)}>
              <option value="">
                {field.default === undefined ? 'choose one' : `default: ${textOf(field.default)}`}
              </option>
              {choices.map((one) => (
                <option key={String(one)}>{String(one)}</option>
              ))}
            </select>
          )}
        </label>
      );
    });

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value));

/** What was entered, by the types that the profile declares; fields left empty are left out. */
const valuesOf = (fields: readonly AccountField[], values: Values): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap(({ name, type, oneOf }) => {
      const text = values[name] ?? '';
      if (text === '') return [];
      const chosen = oneOf?.find((one) => String(one) === text);
      if (chosen !== undefined) return [[name, chosen]];
      if (type === 'boolean') return [[name, text === 'true']];
      return [[name, (type === 'number' || type === 'integer') && text.trim() !== '' ? Number(text) : text]];
    }),
  );

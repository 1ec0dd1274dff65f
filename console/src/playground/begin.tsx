/** Which carrier to work on: one of the home, or a new one from what somebody has of it. */
import { type ChangeEvent, useState } from 'react';
import { Link } from 'wouter';
import type { BegunFiles, Desk } from '../../../src/cli/playground-shapes.ts';
import { call, useAction } from '../api.ts';
import { Section, Trouble } from '../ui.tsx';

interface Sample {
  readonly name: string;
  readonly text: string;
}

const AUTHS = ['', 'apiKey', 'basic', 'bearer', 'oauth2', 'none'];

interface Props {
  readonly desk: Desk;
  readonly onBegun: (carrier: string, begun: BegunFiles) => void;
}

export const Begin = ({ desk, onBegun }: Props) => (
  <>
    <Section title="Open a carrier">
      {desk.carriers.length === 0 ? (
        <p className="empty">The home has none yet: begin one below.</p>
      ) : (
        <ul className="tiles">
          {desk.carriers.map((code) => (
            <li key={code} className="tile">
              <Link href={`/playground/${code}`}>{code}</Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
    <BeginNew carriers={desk.carriers} onBegun={onBegun} />
  </>
);

const BeginNew = ({
  carriers,
  onBegun,
}: {
  readonly carriers: readonly string[];
  readonly onBegun: Props['onBegun'];
}) => {
  const [told, setTold] = useState({ carrier: '', name: '', url: '', sandboxUrl: '', auth: '' });
  const [samples, setSamples] = useState<readonly Sample[]>([{ name: 'create.txt', text: '' }]);
  const given = samples.filter(({ text }) => text.trim() !== '');
  const begin = useAction(async () => {
    const { carrier, ...rest } = told;
    const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value.trim() !== ''));
    onBegun(carrier, await call<BegunFiles>('POST', '/admin/playground/begin', { carrier, samples: given, ...set }));
  });
  const write = (name: keyof typeof told) => ({
    value: told[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setTold({ ...told, [name]: target.value }),
  });
  const change = (at: number, sample: Partial<Sample>): void =>
    setSamples(samples.map((one, number) => (number === at ? { ...one, ...sample } : one)));
  const add = async (files: FileList | null): Promise<void> => {
    const read = await Promise.all(
      [...(files ?? [])].map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    setSamples([...given, ...read]);
  };
  const isTaken = carriers.includes(told.carrier);
  return (
    <Section title="Begin a carrier">
      <form
        className="begin"
        onSubmit={(event) => {
          event.preventDefault();
          begin.run();
        }}
      >
        <div className="filters">
          <label>
            Code
            <input required pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}" {...write('carrier')} />
          </label>
          <label>
            Name
            <input {...write('name')} />
          </label>
          <label>
            URL of its API
            <input type="url" placeholder="as the samples have it" {...write('url')} />
          </label>
          <label>
            URL of its sandbox
            <input type="url" {...write('sandboxUrl')} />
          </label>
          <label>
            Authentication
            <select {...write('auth')}>
              {AUTHS.map((one) => (
                <option key={one} value={one}>
                  {one === '' ? 'as the samples have it' : one}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p className="faint">
          Paste what you have of it: a curl command, an HTTP message, a HAR or Postman file, an OpenAPI document, or a
          body named for what it is, such as <code>create.request.json</code>. Secrets in it become fields of the
          account.
        </p>
        {samples.map(({ name, text }, at) => (
          <fieldset key={at}>
            <label>
              Name of sample {at + 1}
              <input required value={name} onChange={({ target }) => change(at, { name: target.value })} />
            </label>
            <label>
              Sample {at + 1}
              <textarea
                rows={8}
                spellCheck={false}
                value={text}
                onChange={({ target }) => change(at, { text: target.value })}
              />
            </label>
          </fieldset>
        ))}
        <div className="filters">
          <button
            type="button"
            onClick={() => setSamples([...samples, { name: `sample-${samples.length + 1}.txt`, text: '' }])}
          >
            Another sample
          </button>
          <label>
            From files
            <input type="file" multiple onChange={({ target }) => void add(target.files)} />
          </label>
        </div>
        {isTaken && <p className="bad">There is a carrier of this code already: open it, or choose another code.</p>}
        <Trouble error={begin.error} />
        <button type="submit" className="main" disabled={begin.busy || isTaken}>
          {begin.busy ? 'One moment …' : 'Begin'}
        </button>
      </form>
    </Section>
  );
};

/** A request to a carrier and its response, masked. */
import type { ReactNode } from 'react';
import type { Exchange } from '../types.ts';
import { Code, Copy, Facts } from '../ui.tsx';

export const ExchangeView = ({
  exchange: { request, response, message, outcome, step, operation },
  aside,
}: {
  readonly exchange: Exchange;
  readonly aside?: ReactNode;
}) => (
  <>
    <Facts
      of={[
        ['URL', request.url],
        ['Step', `${operation} / ${step}`],
        ['Outcome', outcome?.replaceAll('_', ' ')],
        ['Why', message],
      ]}
    />
    {aside}
    <h3>
      Request <Copy text={curlOf(request)} what="request as curl" label="Copy as curl" />
    </h3>
    <Headers of={request.headers} />
    <Body of={request} what="request body" />
    <h3>Response {response?.status ?? 'none'}</h3>
    <Headers of={response?.headers ?? null} />
    {response !== null && <Body of={response} what="response body" />}
  </>
);

const Body = ({
  of: { body, encoding, size },
  what,
}: {
  readonly of: NonNullable<Exchange['response']> | Exchange['request'];
  readonly what: string;
}) => {
  if (body === null || body === '') return null;
  if (encoding === 'base64') return <p className="faint">{size ?? body.length} bytes that are not text</p>;
  const isCut = size !== undefined && new TextEncoder().encode(body).byteLength < size;
  return (
    <>
      <Code what={what} text={body} />
      {isCut && <p className="faint">Only the beginning of {size} bytes is shown.</p>}
    </>
  );
};

const Headers = ({ of }: { readonly of: Readonly<Record<string, string>> | null }) =>
  of === null || Object.keys(of).length === 0 ? null : (
    <pre className="headers">
      {Object.entries(of)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}
    </pre>
  );

/** What is masked stays masked: it has to be filled in before the command works. */
const curlOf = ({ method, url, headers, body, encoding }: Exchange['request']): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null || encoding !== 'utf8' ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

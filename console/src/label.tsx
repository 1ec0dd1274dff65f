/** A label, shown for what it is: a PDF or picture, or a printer's language, drawn where that is ZPL. */
import { useEffect, useState } from 'react';
import { asRefused, Refused } from './api.ts';
import { Code, Trouble } from './ui.tsx';

interface Shown {
  readonly kind: 'pdf' | 'image' | 'zpl' | 'text';
  /** Of the first two a `blob:` URL. */
  readonly content: string;
}

export const Label = ({ url, name }: { readonly url: string; readonly name: string }) => {
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<Refused>();
  useEffect(() => {
    const stop = new AbortController();
    let blobUrl: string | undefined;
    loadLabel(url, stop.signal).then(
      (loaded) => {
        if (loaded.kind === 'pdf' || loaded.kind === 'image') blobUrl = loaded.content;
        setShown(loaded);
      },
      (thrown: unknown) => stop.signal.aborted || setError(asRefused(thrown)),
    );
    return () => {
      stop.abort();
      if (blobUrl !== undefined) URL.revokeObjectURL(blobUrl);
    };
  }, [url]);
  return (
    <div className="label">
      <Trouble error={error} />
      {shown === undefined && error === undefined && <p role="status">Loading …</p>}
      {shown?.kind === 'pdf' && <iframe src={shown.content} title={name} />}
      {shown?.kind === 'image' && <img src={shown.content} alt={name} />}
      {shown?.kind === 'zpl' && (
        <iframe
          src="/console/zpl/"
          sandbox="allow-scripts"
          title={name}
          // A frame without an origin cannot be named as one.
          onLoad={({ currentTarget }) => currentTarget.contentWindow?.postMessage(shown.content, '*')}
        />
      )}
      {(shown?.kind === 'text' || shown?.kind === 'zpl') && <Code what={name} text={shown.content} />}
    </div>
  );
};

const loadLabel = async (url: string, signal: AbortSignal): Promise<Shown> => {
  const response = await fetch(url, { signal });
  if (!response.ok) {
    const { message } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Refused(response.status, message ?? `The server answered ${response.status}`);
  }
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/pdf') || type.startsWith('image/')) {
    // A picture that could hold scripts is shown as an image only, where none runs.
    const content = URL.createObjectURL(await response.blob());
    return { kind: type.startsWith('image/') ? 'image' : 'pdf', content };
  }
  const content = await response.text();
  return { kind: content.includes('^XA') ? 'zpl' : 'text', content };
};

/** The link of a driver's phone, as a code to scan: shown once. */
import { useState } from 'react';
import { call, useAction } from '../api.ts';
import { Ask, Copy, Trouble } from '../ui.tsx';

interface Issued {
  readonly url: string;
  readonly qr: string;
}

export const DriverLink = ({ driver }: { readonly driver: string }) => {
  const [isAsked, setAsked] = useState(false);
  const [issued, setIssued] = useState<Issued>();
  const path = `/fleet/v1/resources/drivers/${encodeURIComponent(driver)}/token`;
  const issue = useAction(async () => setIssued(await call<Issued>('POST', path, {})));
  const close = (): void => {
    setAsked(false);
    setIssued(undefined);
  };
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Driver’s link …
      </button>
      {isAsked && (
        <Ask
          open
          title={`The link of ${driver}`}
          {...(issued === undefined ? { confirm: 'Make a new link' } : {})}
          busy={issue.busy}
          onConfirm={() => issued === undefined && issue.run()}
          onClose={close}
        >
          <Trouble error={issue.error} />
          {issued === undefined ? (
            <p>Whoever opens it sees this driver’s route. The link that the driver has now ends.</p>
          ) : (
            <>
              <img
                className="fleet-qr"
                alt={`Code of the link of ${driver}`}
                src={`data:image/svg+xml,${encodeURIComponent(issued.qr)}`}
              />
              <p className="token">
                {issued.url} <Copy text={issued.url} what="the link" />
              </p>
              <p>Scan it with the driver’s phone now: it is not shown again.</p>
            </>
          )}
        </Ask>
      )}
    </>
  );
};

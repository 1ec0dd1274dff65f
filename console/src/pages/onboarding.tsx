/** The checklists of the specification for a shipper and for a carrier, each point with its state and the way to it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useList, useRead, withQuery } from '../api.ts';
import type {
  Account,
  AnyWebhook,
  CarrierWhole,
  DeliveryEntry,
  Listed,
  Loaded,
  Push,
  Shipper,
  TokenEntry,
  Unmapped,
} from '../types.ts';
import { Choice, Page, Section, Trouble, useFilters } from '../ui.tsx';

export const Onboarding = () => {
  const { values, set } = useFilters(['shipper', 'carrier']);
  const shippers = useList<Shipper>('/admin/shippers?limit=500');
  const loaded = useRead<Loaded>('/admin/carriers');
  return (
    <Page title="Onboarding">
      <Trouble error={shippers.error ?? loaded.error} />
      <form className="filters">
        <Choice
          label="Shipper"
          value={values.shipper}
          among={shippers.entries?.map(({ code }) => code) ?? []}
          onChange={(shipper) => set({ shipper })}
        />
        <Choice
          label="Carrier"
          value={values.carrier}
          among={loaded.reply?.carriers.map(({ code }) => code) ?? []}
          onChange={(carrier) => set({ carrier })}
        />
      </form>
      <div className="columns">
        <Section title={values.shipper === '' ? 'A shipper' : `Shipper ${values.shipper}`}>
          {values.shipper === '' ? (
            <Unchosen isNone={shippers.entries?.length === 0} what="shipper" href="/people" action="Create a shipper" />
          ) : (
            <ShipperList shipper={values.shipper} carrier={values.carrier} />
          )}
        </Section>
        <Section title={values.carrier === '' ? 'A carrier' : `Carrier ${values.carrier}`}>
          {values.carrier === '' ? (
            <Unchosen
              isNone={loaded.reply?.carriers.length === 0}
              what="carrier"
              href="/carriers"
              action="See carriers"
            />
          ) : (
            <CarrierList carrier={values.carrier} />
          )}
        </Section>
      </div>
    </Page>
  );
};

const Unchosen = ({
  isNone,
  what,
  href,
  action,
}: {
  readonly isNone: boolean;
  readonly what: string;
  readonly href: string;
  readonly action: string;
}) => (
  <div className="empty">
    <p>
      {isNone ? `There is no ${what} yet.` : `Choose a ${what} above to see how far it is.`}{' '}
      <Link href={href}>{action}</Link>
    </p>
  </div>
);

interface Point {
  readonly name: string;
  /** Undefined: not known yet. */
  readonly isDone: boolean | undefined;
  readonly state: ReactNode;
  readonly href: string;
  readonly action: string;
}

const Checklist = ({ points }: { readonly points: readonly Point[] }) => (
  <ol className="checklist">
    {points.map(({ name, isDone, state, href, action }) => (
      <li key={name} className={isDone === true ? 'good' : ''}>
        <span className="mark" aria-hidden>
          {isDone === undefined ? '…' : isDone ? '✓' : '○'}
        </span>
        <div>
          <b>{name}</b> <span className="visually-hidden">{isDone === true ? 'done' : 'open'}</span>
          <p className="faint">{state}</p>
        </div>
        <Link href={href}>{action}</Link>
      </li>
    ))}
  </ol>
);

/** undefined while it is not known. */
const some = (entries: readonly unknown[] | undefined): boolean | undefined => entries && entries.length > 0;

const countOf = (entries: readonly unknown[] | undefined, one: string, many: string, none: string): string =>
  entries === undefined ? '' : entries.length === 0 ? none : `${entries.length} ${entries.length === 1 ? one : many}`;

const ShipperList = ({ shipper, carrier }: { readonly shipper: string; readonly carrier: string }) => {
  const tokens = useList<TokenEntry>(withQuery('/admin/tokens', { shipper }));
  const webhooks = useList<AnyWebhook>(withQuery('/admin/webhooks', { shipper }));
  const accounts = useList<Account>(withQuery('/admin/accounts', { shipper, carrier }));
  const unmapped = useRead<{ data: readonly Unmapped[] }>(withQuery('/admin/statuses/unmapped', { carrier }));
  const orders = useList<Listed>(
    withQuery('/admin/consignments', { shipper, carrier, acceptance: 'accepted', limit: '1' }),
  );
  const delivered = useList<DeliveryEntry>(
    withQuery('/admin/webhooks/deliveries', { shipper, state: 'delivered', limit: '1' }),
  );
  const valid = tokens.entries?.filter(({ state }) => state === 'valid');
  const active = webhooks.entries?.filter(({ state }) => state === 'active');
  const types = [...new Set(active?.flatMap(({ orderTypes }) => orderTypes))];
  const order = orders.entries?.[0];
  const isTested =
    orders.entries === undefined || delivered.entries === undefined
      ? undefined
      : order !== undefined && delivered.entries.length > 0;
  return (
    <Checklist
      points={[
        {
          name: 'Access token issued',
          isDone: some(valid),
          state: countOf(valid, 'valid token', 'valid tokens', 'No valid token. Issue one and hand it to the shipper.'),
          href: '/people',
          action: 'Tokens',
        },
        {
          name: 'Webhook registered, with its order types',
          isDone: some(active),
          state:
            types.length > 0
              ? types.join(', ')
              : 'No active webhook. The shipper registers one with POST /v2/webhooks and its token.',
          href: `/webhooks?shipper=${encodeURIComponent(shipper)}`,
          action: 'Webhooks',
        },
        {
          name: `Account with ${carrier === '' ? 'a carrier' : carrier}`,
          isDone: some(accounts.entries),
          state:
            (accounts.entries?.length ?? 0) > 0
              ? accounts.entries?.map((one) => `${one.carrier} (${one.environment})`).join(', ')
              : 'No account. Create one with the credentials that the carrier gave, and check them.',
          href: carrier === '' ? '/carriers' : `/carriers/${carrier}/accounts`,
          action: 'Accounts',
        },
        {
          name: 'Carrier statuses mapped',
          isDone: unmapped.reply && unmapped.reply.data.length === 0,
          state: countOf(
            unmapped.reply?.data,
            'unmapped status',
            'unmapped statuses',
            'Every status that was received so far is mapped.',
          ),
          href: `/inboxes/unmapped${carrier === '' ? '' : `?carrier=${encodeURIComponent(carrier)}`}`,
          action: 'Unmapped statuses',
        },
        {
          name: 'End-to-end test',
          isDone: isTested,
          state:
            order === undefined
              ? 'No order has been accepted by a carrier yet. Send one with POST /v2/consignments.'
              : isTested === true
                ? `${order.referenceNumber} was accepted, and a webhook was delivered.`
                : `${order.referenceNumber} was accepted; no webhook has been delivered yet.`,
          href:
            order === undefined ? `/consignments?shipper=${encodeURIComponent(shipper)}` : `/consignments/${order.id}`,
          action: 'Consignments',
        },
      ]}
    />
  );
};

const CarrierList = ({ carrier }: { readonly carrier: string }) => {
  const whole = useRead<CarrierWhole>(`/admin/carriers/${encodeURIComponent(carrier)}`);
  const accounts = useList<Account>(withQuery('/admin/accounts', { carrier }));
  const tokens = useList<TokenEntry>(withQuery('/admin/tokens', { carrier }));
  const unmapped = useRead<{ data: readonly Unmapped[] }>(withQuery('/admin/statuses/unmapped', { carrier }));
  const pushes = useList<Push>(withQuery('/admin/pushes', { carrier, state: 'done', limit: '1' }));
  const orders = useList<Listed>(withQuery('/admin/consignments', { carrier, acceptance: 'accepted', limit: '1' }));
  const moved = useList<Listed>(withQuery('/admin/consignments', { carrier, status: 'Order Delivered', limit: '1' }));
  const findings = whole.reply?.findings;
  const statuses = whole.reply?.statuses;
  const isPolled = statuses?.poll === true;
  const valid = tokens.entries?.filter(({ state }) => state === 'valid');
  const needsToken = !(statuses?.webhook === true || isPolled);
  const at = `/carriers/${carrier}`;
  return (
    <Checklist
      points={[
        {
          name: 'Profile loads without findings',
          isDone: findings && findings.length === 0,
          state: countOf(findings, 'finding', 'findings', 'Lint has nothing to say.'),
          href: at,
          action: 'Profile',
        },
        {
          name: 'Credentials received, in an account',
          isDone: some(accounts.entries),
          state: countOf(accounts.entries, 'account', 'accounts', 'No account yet.'),
          href: `${at}/accounts`,
          action: 'Accounts',
        },
        {
          name: 'Status table maps the lifecycle',
          isDone: statuses && statuses.rows.length > 0 && unmapped.reply?.data.length === 0,
          state: `${statuses?.rows.length ?? '…'} rows; ${countOf(unmapped.reply?.data, 'unmapped status', 'unmapped statuses', 'nothing unmapped')}`,
          href: `${at}/statuses`,
          action: 'Statuses',
        },
        {
          name: 'Carrier can send status updates',
          isDone: statuses && (!needsToken || (valid?.length ?? 0) > 0),
          state: isPolled
            ? 'It is polled: the carrier need do nothing.'
            : statuses?.webhook === true
              ? 'By its own webhook: register the URL at the carrier.'
              : countOf(valid, 'valid token', 'valid tokens', 'No token. Issue one and hand it over with the URL.'),
          href: `${at}/tokens`,
          action: 'Tokens',
        },
        {
          name: 'First order accepted',
          isDone: some(orders.entries),
          state: orders.entries?.[0]?.referenceNumber ?? 'None yet.',
          href: `/consignments?carrier=${encodeURIComponent(carrier)}`,
          action: 'Consignments',
        },
        {
          name: 'First status update received',
          isDone: some(pushes.entries),
          state: (pushes.entries?.length ?? 0) > 0 ? 'Received and read.' : 'None yet.',
          href: '/inboxes/unmatched',
          action: 'Pushes',
        },
        {
          name: 'End-to-end test: an order to its delivery',
          isDone: some(moved.entries),
          state: moved.entries?.[0]?.referenceNumber ?? 'No consignment of this carrier has been delivered yet.',
          href: `/consignments?carrier=${encodeURIComponent(carrier)}&status=Order+Delivered`,
          action: 'Delivered',
        },
      ]}
    />
  );
};

/** What waits for a person. */
import { Tabs } from '@base-ui/react/tabs';
import { useLocation } from 'wouter';
import { HeldInbox } from '../inboxes/held.tsx';
import { FailedLabels } from '../inboxes/labels.tsx';
import { RefusedLogins } from '../inboxes/logins.tsx';
import { UnsettledPushes } from '../inboxes/pushes.tsx';
import { UnmappedStatuses } from '../inboxes/unmapped.tsx';
import { WaitingDispatches } from '../inboxes/waiting.tsx';
import { Page } from '../ui.tsx';

const KINDS = [
  ['held', 'Held dispatches', HeldInbox],
  ['unmatched', 'Pushes', UnsettledPushes],
  ['unmapped', 'Unmapped statuses', UnmappedStatuses],
  ['labels', 'Failed labels', FailedLabels],
  ['waiting', 'Waiting dispatches', WaitingDispatches],
  ['logins', 'Refused logins', RefusedLogins],
] as const;

export const Inboxes = ({ kind }: { readonly kind: string }) => {
  const [, navigate] = useLocation();
  return (
    <Page title="Inboxes">
      <Tabs.Root value={kind} onValueChange={(value: string) => navigate(`/inboxes/${value}`)}>
        <Tabs.List className="tabs" aria-label="Inboxes">
          {KINDS.map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {KINDS.map(([value, , Inbox]) => (
          <Tabs.Panel key={value} value={value}>
            <Inbox />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Page>
  );
};

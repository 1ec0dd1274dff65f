/** Tokens with which a carrier pushes status updates. */
import { useList } from '../api.ts';
import { IssueToken } from '../tokens/issue.tsx';
import { TokenTable } from '../tokens/table.tsx';
import { For } from '../session.tsx';
import type { TokenEntry } from '../types.ts';
import { Copy, Section } from '../ui.tsx';

export const CarrierTokens = ({ code }: { readonly code: string }) => {
  const list = useList<TokenEntry>(`/admin/tokens?carrier=${encodeURIComponent(code)}`);
  const url = `${window.location.origin}/v2/carriers/${code}/statuses`;
  return (
    <Section
      title="Tokens"
      aside={
        <For role="administer">
          <IssueToken of={{ kind: 'carrier', code }} onDone={list.reload} />
        </For>
      }
    >
      <p>
        The carrier pushes status updates to <code>{url}</code> <Copy text={url} what="URL" /> with one of these tokens
        as <code>Authorization: Bearer …</code>
      </p>
      <TokenTable
        list={list}
        empty="The carrier has no token yet. An administrator issues one, for both environments or for one."
      />
    </Section>
  );
};

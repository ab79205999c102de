import type { ApiKey } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'

export function ApiKeyTable({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (apiKey: ApiKey) => void }) {
  const columns: Column<ApiKey>[] = [
    {
      title: 'Name and key',
      isRowHeader: true,
      // In one column, so that the whole table fits next to the sections.
      cell: ({ name, prefix, lastFour }) => (
        <>
          <span className="block font-medium">{name}</span>
          <code className="font-mono text-meta whitespace-nowrap text-soft">{`${prefix}…${lastFour}`}</code>
        </>
      ),
    },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <RelativeTime time={lastUsedAt} /> : <span className="text-faint">Never</span>,
    },
    { title: 'Role', cell: ({ role }) => <Badge>{role}</Badge> },
    { title: 'Expires', cell: ({ expiresAt }) => <Expiry expiresAt={expiresAt} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      align: 'right',
      cell: (apiKey) => (
        <Button look="quiet" size="small" aria-label={`Revoke ${apiKey.name}`} onClick={() => onRevoke(apiKey)}>
          Revoke
        </Button>
      ),
    },
  ]
  return <Table caption="API keys" columns={columns} rows={keys} rowKey={({ id }) => id} />
}

function Expiry({ expiresAt }: { expiresAt: string | null }) {
  if (!expiresAt) return <span className="text-faint">Never</span>
  if (new Date(expiresAt) < new Date()) return <Badge tone="danger">Expired</Badge>
  return <RelativeTime time={expiresAt} />
}

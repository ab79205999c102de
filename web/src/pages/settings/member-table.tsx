import { describeError } from '../../api/api-error.ts'
import type { Me, Member } from '../../api/generated/api.ts'
import { useChangeRole } from '../../api/members-query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { RoleSelect } from './role-select.tsx'

interface MemberTableProps {
  applicationId: string
  me: Me
  members: Member[]
  onRemove: (member: Member) => void
  /** For an invitation whose link was lost. */
  onRenew: (member: Member) => void
}

export function MemberTable({ applicationId, me, members, onRemove, onRenew }: MemberTableProps) {
  const columns: Column<Member>[] = [
    {
      title: 'Member',
      isRowHeader: true,
      cell: (member) => (
        <>
          <span className="flex items-center gap-2 font-medium">
            {member.name ?? member.email}
            {member.userId === me.userId && <Badge>you</Badge>}
            {member.state === 'invited' && <Badge tone="gold">invited</Badge>}
          </span>
          {member.name && <span className="text-data text-soft">{member.email}</span>}
          {member.expiresAt && (
            <span className="text-data text-soft">
              link expires <RelativeTime time={member.expiresAt} />
            </span>
          )}
        </>
      ),
    },
    { title: 'Role', cell: (member) => <MemberRole applicationId={applicationId} me={me} member={member} /> },
    { title: 'Second factor', cell: ({ secondFactor }) => secondFactor && <FactorBadge state={secondFactor} /> },
    { title: 'Since', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      align: 'right',
      cell: (member) => (
        <span className="flex justify-end gap-1 max-sm:-ml-2.5 max-sm:justify-start">
          {member.state === 'invited' && (
            <Button
              look="quiet"
              size="small"
              aria-label={`New link for ${member.email}`}
              disabledReason={ownerReason(me, member)}
              onClick={() => onRenew(member)}
            >
              New link
            </Button>
          )}
          <Button
            look="quiet"
            size="small"
            aria-label={`Remove ${member.email}`}
            disabledReason={ownerReason(me, member)}
            onClick={() => onRemove(member)}
          >
            Remove
          </Button>
        </span>
      ),
    },
  ]
  return <Table caption="Members" columns={columns} rows={members} rowKey={({ id }) => id} />
}

function FactorBadge({ state }: { state: 'on' | 'off' | 'provider' }) {
  if (state === 'provider') return <Badge>by provider</Badge>
  return <Badge tone={state === 'on' ? 'good' : 'neutral'}>{state}</Badge>
}

function ownerReason(me: Me, member: Member): string | undefined {
  return member.role === 'owner' && me.role !== 'owner' ? 'Only an owner can change or remove an owner.' : undefined
}

function MemberRole({ applicationId, me, member }: { applicationId: string; me: Me; member: Member }) {
  const change = useChangeRole(applicationId)
  return (
    <RoleSelect
      label={`Role of ${member.email}`}
      // The selected role is shown until the response arrives; if it is rejected, the old role is shown again.
      value={change.isPending ? change.variables.role : member.role}
      mayGrantOwner={me.role === 'owner'}
      disabledReason={ownerReason(me, member)}
      onChange={(role) =>
        change.mutate(
          { memberId: member.id, role },
          {
            onSuccess: () => showToast({ tone: 'good', message: `${member.email} is now ${role}.` }),
            onError: (error) => showToast({ tone: 'danger', ...describeError(error) }),
          },
        )
      }
    />
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import type { Member } from '../../api/generated/api.ts'
import { membersQuery } from '../../api/members-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole, roles } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { InviteMemberDialog } from './invite-member-dialog.tsx'
import { MemberTable } from './member-table.tsx'
import { RemoveMemberDialog } from './remove-member-dialog.tsx'
import { RenewInvitationDialog } from './renew-invitation-dialog.tsx'
import { RequireFactorSection } from './require-factor-section.tsx'
import { SettingsHead } from './settings-head.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/members')

export function MembersPage() {
  const applicationId = useApplicationId()
  const me = useMe()
  const disabledReason = missingRole(me, 'admin', 'Managing members')
  const members = useInfiniteQuery({ ...membersQuery(applicationId), enabled: !disabledReason })
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [memberToRemove, setMemberToRemove] = useState<Member>()
  const [renewed, setRenewed] = useState<Member>()
  const path = pagePaths.settings(applicationId, 'members')
  return (
    <>
      <SettingsHead
        section="members"
        text="Who may enter this application, and what they may do in it."
        action={{ label: 'Invite member', icon: UserPlus, disabledReason }}
      />
      {disabledReason ? (
        <Forbidden reason={disabledReason} />
      ) : (
        <PagedList
          query={members}
          empty={<EmptyState icon={Users} title="No member" text="This application has no members." />}
        >
          {(rows) => (
            <MemberTable
              applicationId={applicationId}
              me={me}
              members={rows}
              onRemove={setMemberToRemove}
              onRenew={setRenewed}
            />
          )}
        </PagedList>
      )}
      {/* Not before the list: it would be pushed down. */}
      {!disabledReason && !members.isPending && <RequireFactorSection applicationId={applicationId} />}
      {(disabledReason || !members.isPending) && <RoleList />}
      {isNew && !disabledReason && (
        <InviteMemberDialog
          applicationId={applicationId}
          me={me}
          onClose={() => void navigate({ to: path, replace: true })}
        />
      )}
      {renewed && (
        <RenewInvitationDialog applicationId={applicationId} invited={renewed} onClose={() => setRenewed(undefined)} />
      )}
      {memberToRemove && (
        <RemoveMemberDialog
          applicationId={applicationId}
          member={memberToRemove}
          isMyself={memberToRemove.userId === me.userId}
          onClose={() => setMemberToRemove(undefined)}
        />
      )}
    </>
  )
}

function RoleList() {
  return (
    <section className="mt-10">
      <h2 className="mb-3 font-display text-section font-semibold">What each role may do</h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-data">
        {roles.map(({ role, text }) => (
          <div key={role} className="contents">
            <dt className="font-medium">{role}</dt>
            <dd className="text-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

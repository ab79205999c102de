import { useNavigate } from '@tanstack/react-router'
import type { Member } from '../../api/generated/api.ts'
import { useLeaveApplication, useRemoveMember } from '../../api/members-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface RemoveMemberDialogProps {
  applicationId: string
  member: Member
  isMyself: boolean
  onClose: () => void
}

export function RemoveMemberDialog({ applicationId, member, isMyself, onClose }: RemoveMemberDialogProps) {
  const removal = useRemoveMember(applicationId)
  const departure = useLeaveApplication(applicationId)
  const { isPending, error } = isMyself ? departure : removal
  const navigate = useNavigate()
  const leave = () =>
    departure.mutate(undefined, { onSuccess: () => navigate({ to: pagePaths.home(), replace: true }) })
  const remove = () =>
    removal.mutate(member.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Removed ${member.email}.` })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title={isMyself ? 'Leave the application' : 'Remove member'}
      confirmLabel={isMyself ? 'Leave' : 'Remove'}
      isBusy={isPending}
      error={<ErrorReport error={error} />}
      onConfirm={isMyself ? leave : remove}
      onClose={onClose}
    >
      <strong className="font-medium text-ink">{member.email}</strong>{' '}
      {member.state === 'invited'
        ? 'has not joined yet. The invitation link stops working.'
        : 'loses access at once, and their API keys are revoked. Annotations they made stay.'}
    </ConfirmDialog>
  )
}

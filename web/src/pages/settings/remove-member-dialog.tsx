import { useNavigate } from '@tanstack/react-router'
import type { Member } from '../../api/generated/resources.ts'
import { useRemoveMember } from '../../api/members-query.ts'
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
  const remove = useRemoveMember(applicationId)
  const navigate = useNavigate()
  const confirm = () =>
    remove.mutate(member.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Removed ${member.email}.` })
        if (isMyself) void navigate({ to: pagePaths.home(), replace: true })
        else onClose()
      },
    })
  return (
    <ConfirmDialog
      title={isMyself ? 'Leave the application' : 'Remove member'}
      confirmLabel={isMyself ? 'Leave' : 'Remove'}
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <strong className="font-medium text-ink">{member.email}</strong>{' '}
      {member.state === 'invited'
        ? 'has not joined yet. The invitation link stops working.'
        : 'loses access at once. Annotations they made stay.'}
    </ConfirmDialog>
  )
}

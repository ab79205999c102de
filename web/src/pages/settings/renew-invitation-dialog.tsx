import type { Member } from '../../api/generated/api.ts'
import { useInviteMember } from '../../api/members-query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { InvitationLink } from './invitation-link.tsx'

interface RenewInvitationDialogProps {
  applicationId: string
  invited: Member
  onClose: () => void
}

/** Only the hash of a link is stored, so a lost link cannot be shown again: a new one replaces it. */
export function RenewInvitationDialog({ applicationId, invited, onClose }: RenewInvitationDialogProps) {
  const invite = useInviteMember(applicationId)
  const { email, role } = invited
  return (
    <Dialog title="New invitation link" isOpen onClose={onClose}>
      {invite.data ? (
        <InvitationLink member={invite.data} onClose={onClose} />
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-soft">
            A new link for <strong className="font-medium text-ink">{email}</strong> works for seven days. The former
            one stops working.
          </p>
          <ErrorReport error={invite.error} />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" isBusy={invite.isPending} onClick={() => invite.mutate({ email, role })}>
              Create link
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  )
}

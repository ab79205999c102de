import type { CreatedMember } from '../../api/generated/resources.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'

/** Somebody new gets a link; somebody with an account is in at once. */
export function InvitationLink({ member, onClose }: { member: CreatedMember; onClose: () => void }) {
  const { email, role, invitationUrl } = member
  return (
    <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {invitationUrl ? (
        <>
          <p className="text-soft">
            Send this link to <strong className="font-medium text-ink">{email}</strong>. It is shown only now, and
            whoever has it can join as {role}.
          </p>
          <output
            aria-label="Invitation link"
            className="block rounded-xl bg-gold-wash px-4 py-3 font-mono text-sm break-all"
          >
            {invitationUrl}
          </output>
          <div>
            <CopyButton text={invitationUrl} label="Copy invitation link" look="primary" />
          </div>
        </>
      ) : (
        <p className="text-soft">
          <strong className="font-medium text-ink">{email}</strong> has an account here and is now {role} of this
          application.
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </div>
  )
}

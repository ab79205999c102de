import { useQuery } from '@tanstack/react-query'
import type { CreatedMember } from '../../api/generated/api.ts'
import { instanceQuery } from '../../api/instance-query.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'

/** Shown once: only the hash of a link is stored. */
export function InvitationLink({ member, onClose }: { member: CreatedMember; onClose: () => void }) {
  const { email, role, invitationUrl } = member
  const { data: instance } = useQuery(instanceQuery)
  return (
    <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <p className="text-soft">
        Send this link to <strong className="font-medium text-ink">{email}</strong>, who can join as {role} with it. It
        is shown only now. Do not share it with anyone else.
        {instance?.sendsMail && ' The server also sends it by e-mail.'}
      </p>
      <output
        aria-label="Invitation link"
        className="block rounded-card bg-gold-wash px-4 py-3 font-mono text-data break-all"
      >
        {invitationUrl}
      </output>
      <div>
        <CopyButton text={invitationUrl} label="Copy invitation link" look="primary" />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </div>
  )
}

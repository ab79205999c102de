import { type FormEvent, useState } from 'react'
import type { Me } from '../../api/generated/api.ts'
import { useInviteMember } from '../../api/members-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'
import { readRole, roles } from '../shell/roles.ts'
import { InvitationLink } from './invitation-link.tsx'

interface InviteMemberDialogProps {
  applicationId: string
  me: Me
  onClose: () => void
}

export function InviteMemberDialog({ applicationId, me, onClose }: InviteMemberDialogProps) {
  const invite = useInviteMember(applicationId)
  const [role, setRole] = useState(readRole('editor'))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    invite.mutate({ email: readText(new FormData(event.currentTarget), 'email'), role })
  }
  return (
    <Dialog title={invite.data ? 'Invitation created' : 'Invite member'} isOpen onClose={onClose}>
      {invite.data ? (
        <InvitationLink member={invite.data} onClose={onClose} />
      ) : (
        <form method="post" onSubmit={submit} className="flex flex-col gap-4">
          <TextField label="E-mail" name="email" type="email" required autoComplete="off" />
          <SelectField
            label="Role"
            value={role}
            hint={roles.find((known) => known.role === role)?.text}
            onChange={(event) => setRole(readRole(event.target.value))}
          >
            {roles.map((known) => (
              <option key={known.role} value={known.role} disabled={known.role === 'owner' && me.role !== 'owner'}>
                {known.role}
              </option>
            ))}
          </SelectField>
          <FormEnd submitLabel="Invite" error={invite.error} isBusy={invite.isPending} onCancel={onClose} />
        </form>
      )}
    </Dialog>
  )
}

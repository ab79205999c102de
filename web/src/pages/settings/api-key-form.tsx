import { type FormEvent, useState } from 'react'
import type { NewApiKey } from '../../api/api-keys-query.ts'
import type { KeyRole, Role } from '../../api/generated/api.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'
import { hasRole, roles } from '../shell/roles.ts'

interface ApiKeyFormProps {
  isBusy: boolean
  error: Error | null
  /** The maximum role of the key. */
  role: Role
  onSubmit: (wanted: NewApiKey) => void
  onCancel: () => void
}

export function ApiKeyForm({ role: own, isBusy, error, onSubmit, onCancel }: ApiKeyFormProps) {
  const allowed = keyRoles.filter((known) => hasRole(own, known))
  const [role, setRole] = useState<KeyRole>(allowed.at(-1) ?? 'viewer')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = Number(readText(form, 'days'))
    onSubmit({ name: readText(form, 'name'), role, expiresInDays: days === 0 ? null : days })
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        name="name"
        required
        pattern=".*\S.*"
        autoComplete="off"
        placeholder="ci"
        hint="Where it will be used; you will look for it when something has to be revoked."
      />
      <SelectField
        label="Role"
        value={role}
        hint={roles.find((known) => known.role === role)?.text}
        onChange={(event) => setRole(allowed.find((known) => known === event.target.value) ?? 'viewer')}
      >
        {allowed.map((known) => (
          <option key={known} value={known}>
            {known === 'viewer' ? 'viewer (read-only)' : known}
          </option>
        ))}
      </SelectField>
      <SelectField label="Expires" name="days" defaultValue="90">
        <option value="30">in 30 days</option>
        <option value="90">in 90 days</option>
        <option value="365">in a year (365 days)</option>
        <option value="0">never</option>
      </SelectField>
      <FormEnd submitLabel="Create key" error={error} isBusy={isBusy} onCancel={onCancel} />
    </form>
  )
}

/** Keys are for programs, which neither create keys nor manage members. */
const keyRoles: KeyRole[] = ['viewer', 'annotator', 'editor']

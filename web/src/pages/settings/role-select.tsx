import type { Role } from '../../api/generated/api.ts'
import { Select } from '../../ui/select-field.tsx'
import { readRole, roles } from '../shell/roles.ts'

interface RoleSelectProps {
  label: string
  value: Role
  /** Only an owner can appoint another owner. */
  mayGrantOwner: boolean
  disabledReason: string | undefined
  onChange: (role: Role) => void
}

export function RoleSelect({ label, value, mayGrantOwner, disabledReason, onChange }: RoleSelectProps) {
  return (
    <Select
      aria-label={label}
      value={value}
      disabled={disabledReason !== undefined}
      title={disabledReason}
      onChange={(event) => onChange(readRole(event.target.value))}
      className="w-36"
    >
      {roles.map(({ role }) => (
        <option key={role} value={role} disabled={role === 'owner' && !mayGrantOwner}>
          {role}
        </option>
      ))}
    </Select>
  )
}

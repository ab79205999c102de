import type { KeyRole, Role } from '../../api/generated/api.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { hasRole, roles } from '../shell/roles.ts'

interface KeyRoleFieldProps {
  /** The role of the user who creates the key, which the key cannot exceed. */
  own: Role
  value: KeyRole
  onChange: (role: KeyRole) => void
}

export function KeyRoleField({ own, value, onChange }: KeyRoleFieldProps) {
  const allowed = keyRolesOf(own)
  return (
    <SelectField
      label="Role"
      value={value}
      hint={roles.find((known) => known.role === value)?.text}
      onChange={(event) => onChange(allowed.find((known) => known === event.target.value) ?? 'viewer')}
    >
      {allowed.map((known) => (
        <option key={known} value={known}>
          {known === 'viewer' ? 'viewer (read-only)' : known}
        </option>
      ))}
    </SelectField>
  )
}

export function highestKeyRole(own: Role): KeyRole {
  return keyRolesOf(own).at(-1) ?? 'viewer'
}

function keyRolesOf(own: Role): KeyRole[] {
  return keyRoles.filter((known) => hasRole(own, known))
}

/** Keys are for programs, which neither create keys nor manage members. */
const keyRoles: KeyRole[] = ['viewer', 'annotator', 'editor']

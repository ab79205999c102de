import type { Me, Role } from '../../api/generated/api.ts'

/** In ascending order; each role includes those before it. */
export const roles: { role: Role; text: string }[] = [
  { role: 'viewer', text: 'Reads everything, changes nothing.' },
  { role: 'annotator', text: 'Reads everything and rates traces.' },
  { role: 'editor', text: 'Works with components, datasets, runs and evaluations.' },
  { role: 'admin', text: 'Also manages members, their API keys and these settings.' },
  { role: 'owner', text: 'Also deletes the application.' },
]

export function hasRole(role: Role, needed: Role): boolean {
  return rank(role) >= rank(needed)
}

/** The reason why `me` lacks a permission, as text for a disabled control; undefined if the action is allowed. */
export function missingRole(me: Me, needed: Role, action: string): string | undefined {
  if (hasRole(me.role, needed)) return undefined
  return `${action} requires the role ${needed}; yours is ${me.role}.`
}

export function readRole(text: string): Role {
  return roles.find(({ role }) => role === text)?.role ?? 'viewer'
}

function rank(role: Role): number {
  return roles.findIndex((known) => known.role === role)
}

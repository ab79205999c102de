import { useQuery } from '@tanstack/react-query'
import { directoryQuery } from '../../api/directory-query.ts'
import type { Role } from '../../api/generated/api.ts'
import { hasRole } from './roles.ts'

const NAMED_MAX = 3

/** The members who have at least this role; empty until they are known. */
export function usePeopleWithRole(applicationId: string, needed: Role): string[] {
  const { data: people = [] } = useQuery(directoryQuery(applicationId))
  return people.flatMap(({ name, role }) => (role !== null && hasRole(role, needed) ? name : [])).sort()
}

/** `Ada, Grace or 2 others` */
export function anyOf(names: readonly string[]): string {
  const named = names.length > NAMED_MAX + 1 ? names.slice(0, NAMED_MAX) : names
  const others = names.length - named.length
  const all = others > 0 ? [...named, `${others} others`] : named
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../api/generated/api.ts'
import { meQuery } from '../../api/me-query.ts'
import { missingRole } from '../shell/roles.ts'

/** Why the user may not do something. The panel of decisions is part of several pages, so it reads nothing from the address. */
export function useMissingRole(applicationId: string, needed: Role, action: string): string | undefined {
  const { data: me } = useQuery(meQuery(applicationId))
  return me && missingRole(me, needed, action)
}

import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/me-query.ts'
import { workQuery } from '../../api/work-query.ts'
import { formatCount } from '../../ui/format-number.ts'
import { hasRole } from './roles.ts'

/** How many traces wait for a rating of the user. Nothing if none does. */
export function WorkCount({ applicationId }: { applicationId: string }) {
  const { data: me } = useQuery(meQuery(applicationId))
  const { data: work } = useQuery({
    ...workQuery(applicationId),
    enabled: me !== undefined && hasRole(me.role, 'annotator'),
  })
  if (!work || work.remaining === 0) return null
  return (
    <span className="ml-auto rounded-full bg-gold-wash px-1.5 text-[11px] leading-4.5 font-semibold text-gold-ink tabular-nums max-rail:absolute max-rail:top-0 max-rail:right-0 max-rail:px-1 max-sm:right-2">
      <span aria-hidden>{work.remaining > 999 ? '999+' : work.remaining}</span>
      <span className="sr-only">{formatCount(work.remaining)} to rate</span>
    </span>
  )
}

import { useQuery } from '@tanstack/react-query'
import { annotationPolicyQuery, type RunKey } from '../../api/run-query.ts'
import { Notice } from '../../ui/notice.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** Explains what the server hides in a run that is rated blind. Nothing in other runs. */
export function BlindNotice({ runKey, raterIds }: { runKey: RunKey; raterIds: string[] }) {
  const { data: policy } = useQuery(annotationPolicyQuery(runKey))
  const me = useMe()
  if (!policy?.blind) return null
  const seesAll = hasRole(me.role, 'admin') && !raterIds.includes(me.userId)
  return (
    <div className="mb-6">
      <Notice title="This run is rated blind">
        {seesAll
          ? `As ${me.role} you see all ratings until you rate in this run. From then on, you see those of the traces that you have rated.`
          : 'You see the ratings of the traces that you have rated. The others are hidden, so that your rating does not depend on them; all numbers here are without them.'}
      </Notice>
    </div>
  )
}

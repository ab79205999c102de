import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from '../../api/live-events.ts'
import { spendingQuery } from '../../api/spending-query.ts'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { SpendingForm } from './spending-form.tsx'
import { SpendingTable } from './spending-table.tsx'

/** What calls of models have cost, and how much they may. */
export function SpendingSection({ applicationId }: { applicationId: string }) {
  const spending = useQuery(spendingQuery(applicationId))
  useLiveQuery(applicationId, ['spending'], spendingQuery(applicationId).queryKey)
  const disabledReason = missingRole(useMe(), 'admin', 'Changing the limits')
  const { data } = spending
  return (
    <section aria-labelledby="spending" className="mt-10 border-t border-line pt-6">
      <h2 id="spending" className="font-display text-section font-semibold">
        Spending
      </h2>
      <p className="mt-1 mb-4 max-w-prose text-soft">
        What judges, the playground, trials and experiments have cost. A call that might exceed a limit is not sent.
        Days begin at midnight UTC.
      </p>
      {data && (
        <div className="flex flex-col gap-5">
          {data.reached !== null && <Notice>{data.reached}</Notice>}
          <SpendingTable spending={data} />
          <SpendingForm applicationId={applicationId} saved={data} disabledReason={disabledReason} />
        </div>
      )}
      {!data && spending.error && <QueryError query={spending} />}
      {!data && !spending.error && <Skeleton rows={3} />}
    </section>
  )
}

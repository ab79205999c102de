import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import type { RunKey } from '../../api/run-query.ts'
import { useLinkTraces } from '../../api/runs-query.ts'
import { matchCountQuery } from '../../api/trace-list-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { FormEnd } from '../shell/form-end.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { useMe } from '../shell/use-application.ts'
import { QueryBar } from '../traces/query-bar.tsx'
import { readRecentQueries } from '../traces/recent-queries.ts'

/** Limit of the API. */
const TRACES_MAX = 1_000
const LIMIT_DEFAULT = 100

/** Links the newest traces that match a query to the run. The number of matches is shown before. */
export function AddTracesDialog({ runKey, onClose }: { runKey: RunKey; onClose: () => void }) {
  const { applicationId } = runKey
  const { userId } = useMe()
  const [q, setQ] = useState('')
  const [limit, setLimit] = useState(String(LIMIT_DEFAULT))
  const matches = useQuery({ ...matchCountQuery(applicationId, q), enabled: q !== '' })
  const link = useLinkTraces(runKey)
  const isInvalid = hasStatus(matches.error, 400)
  const most = Number(limit)
  const isLimitValid = Number.isInteger(most) && most >= 1 && most <= TRACES_MAX
  const total = matches.data?.total ?? 0
  const count = Math.min(total, most)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (whyNot()) return
    link.mutate(
      { q, limit: most },
      {
        onSuccess: ({ added, skipped }) => {
          const known = skipped > 0 ? ` ${countOf(skipped, 'trace was', 'traces were')} in the run before.` : ''
          showToast({ tone: 'good', message: `Added ${countOf(added, 'trace')} to the run.${known}` })
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title="Add traces to the run" size="wide" isOpen onClose={onClose}>
      <div className="flex min-h-72 flex-col gap-4">
        <QueryBar
          applicationId={applicationId}
          query={q}
          error={isInvalid ? describeError(matches.error).message : undefined}
          recent={readRecentQueries({ applicationId, userId })}
          onSubmit={setQ}
        />
        <form method="post" onSubmit={submit} className="flex flex-1 flex-col gap-4">
          <p role="status" className="text-data text-soft">
            {q === '' && 'Write a query, such as tag:golden, and press Enter: the newest traces that match are added.'}
            {q !== '' && matches.isFetching && 'Counting…'}
            {q !== '' && matches.data && !matches.isFetching && (
              <>
                <b className="text-ink tabular-nums">
                  {formatCount(total)}
                  {matches.data.isExact ? '' : ' or more'}
                </b>{' '}
                {total === 1 ? 'trace matches.' : 'traces match.'}
                {total > most && ` The newest ${formatCount(most)} are added.`}
              </>
            )}
          </p>
          {matches.error && !isInvalid && <QueryError query={matches} />}
          <div className="max-w-40">
            <TextField
              label="At most"
              type="number"
              min={1}
              max={TRACES_MAX}
              value={limit}
              onChange={(event) => setLimit(event.target.value)}
              autoComplete="off"
            />
          </div>
          <FormEnd
            submitLabel={count > 0 && isLimitValid ? `Add ${countOf(count, 'trace')}` : 'Add traces'}
            error={link.error}
            isBusy={link.isPending}
            disabledReason={whyNot()}
            onCancel={onClose}
          />
        </form>
      </div>
    </Dialog>
  )

  function whyNot(): string | undefined {
    if (q === '') return 'Write a query first.'
    if (!isLimitValid) return `The number must be from 1 to ${formatCount(TRACES_MAX)}.`
    if (!matches.data) return matches.error ? 'The query could not be run.' : 'Wait until the traces are counted.'
    return total === 0 ? 'No trace matches.' : undefined
  }
}

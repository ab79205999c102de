import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import { addItemsFromQuery, type DatasetKey, ITEMS_PER_REQUEST } from '../../api/dataset-items-query.ts'
import type { Component } from '../../api/generated/api.ts'
import { changeItems, refreshItems } from '../../api/item-rows-query.ts'
import { traceRowsQuery } from '../../api/trace-list-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { componentTraces } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { QueryBar } from '../traces/query-bar.tsx'
import { readSplit, splits } from './split-select.tsx'

const LIMIT_DEFAULT = 100
const SHOWN = 3

interface AddByQueryDialogProps {
  datasetKey: DatasetKey
  component: Component
  onClose: () => void
}

/** Adds the newest traces that match a query. Shows how many match before anything is added. */
export function AddByQueryDialog({ datasetKey, component, onClose }: AddByQueryDialogProps) {
  const { applicationId } = datasetKey
  const queryClient = useQueryClient()
  const [q, setQ] = useState(() => componentTraces(component))
  const [limit, setLimit] = useState(String(LIMIT_DEFAULT))
  const [expected, setExpected] = useState<'none' | 'output'>('none')
  const [split, setSplit] = useState('')
  const matches = useInfiniteQuery(traceRowsQuery(applicationId, { q, from: undefined, to: undefined }, '-time'))
  const refresh = () => refreshItems(queryClient, datasetKey)
  const addition = useSubmission({
    mutationFn: () => addItemsFromQuery(datasetKey, { q, limit: Number(limit), expected, split: readSplit(split) }),
    onSuccess: async ({ added, skipped, addedIds }) => {
      await refresh()
      onClose()
      const others = skipped > 0 ? ` ${countOf(skipped, 'trace')} skipped: items already.` : ''
      const undo = () => void changeItems(datasetKey, { ids: addedIds, delete: true }).then(refresh)
      showUndoToast(`Added ${countOf(added, 'item')}.${others}`, added > 0 ? undo : () => undefined)
    },
  })
  const isWrong = hasStatus(matches.error, 400)
  const total = matches.data?.total ?? 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    addition.mutate(undefined)
  }
  return (
    <Dialog title="Add items from traces" isOpen size="wide" onClose={onClose}>
      <QueryBar
        applicationId={applicationId}
        query={q}
        error={isWrong ? describeError(matches.error).message : undefined}
        recent={[]}
        // Without a condition, every trace of the application would match.
        onSubmit={(next) => setQ(next || componentTraces(component))}
      />
      <div role="status" className="mt-2 text-data text-soft">
        {matches.isFetching && 'Counting…'}
        {!matches.isFetching && matches.data && (
          <>
            <b className="font-semibold text-ink tabular-nums">{formatCount(total)}</b>
            {matches.data.isTotalExact ? '' : ' or more'} {total === 1 ? 'trace matches' : 'traces match'}.
          </>
        )}
      </div>
      {matches.error && !isWrong && <ErrorReport error={matches.error} />}
      <ul className="mt-1 text-data text-soft">
        {matches.data?.rows.slice(0, SHOWN).map(({ id, preview, name }) => (
          <li key={id} className="truncate">
            {preview?.input ?? name ?? 'no input'}
          </li>
        ))}
      </ul>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-4 sm:grid-cols-3">
        <TextField
          label="How many at most"
          type="number"
          required
          min={1}
          max={ITEMS_PER_REQUEST}
          value={limit}
          hint="The newest first. Traces that are items already are skipped."
          onChange={(event) => setLimit(event.target.value)}
        />
        <SelectField
          label="Expected output"
          value={expected}
          hint="A copied output is only right if the answer was."
          onChange={(event) => setExpected(event.target.value === 'output' ? 'output' : 'none')}
        >
          <option value="none">None</option>
          <option value="output">The output of each trace</option>
        </SelectField>
        <SelectField label="Split" value={split} onChange={(event) => setSplit(event.target.value)}>
          <option value="">no split</option>
          {splits.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <div className="sm:col-span-3">
          <FormEnd
            submitLabel={total > 0 ? `Add up to ${formatCount(Math.min(total, Number(limit) || 0))}` : 'Add items'}
            error={addition.error}
            isBusy={addition.isPending}
            disabledReason={total === 0 && !matches.isFetching ? 'No trace matches the query.' : undefined}
            onCancel={onClose}
          />
        </div>
      </form>
    </Dialog>
  )
}

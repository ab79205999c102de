import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import { assignSplits, changeItems, refreshItems } from '../../api/item-rows-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { splits } from './split-select.tsx'

const SHARES = { train: '60', validation: '20', test: '20' }

interface AssignSplitsFormProps {
  datasetKey: DatasetKey
  notEditable: string | undefined
}

export function AssignSplitsForm({ datasetKey, notEditable }: AssignSplitsFormProps) {
  const queryClient = useQueryClient()
  const [shares, setShares] = useState<Record<(typeof splits)[number], string>>(SHARES)
  const [seed, setSeed] = useState('1')
  const [items, setItems] = useState<'all' | 'without_split'>('without_split')
  const refresh = () => refreshItems(queryClient, datasetKey)
  const sum = splits.reduce((total, split) => total + Number(shares[split]), 0)
  const assignment = useSubmission({
    mutationFn: () => {
      const [train, validation, test] = [shares.train, shares.validation, shares.test].map((text) => Number(text) / 100)
      return assignSplits(datasetKey, {
        shares: { train: train ?? 0, validation: validation ?? 0, test: test ?? 0 },
        seed,
        items,
      })
    },
    onSuccess: async ({ changed, before }) => {
      await refresh()
      const undo = async () => {
        for (const { split, ids } of before) await changeItems(datasetKey, { ids, set: { split } })
        await refresh()
      }
      showUndoToast(`${countOf(changed, 'item')} distributed.`, () => void undo())
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    assignment.mutate(undefined)
  }
  const counts = assignment.data?.counts
  return (
    <form method="post" onSubmit={submit} className="mt-3 flex flex-col gap-3">
      <div className="grid grid-cols-3 gap-3">
        {splits.map((split) => (
          <TextField
            key={split}
            label={`${split} in %`}
            type="number"
            min={0}
            max={100}
            required
            value={shares[split]}
            onChange={(event) => setShares({ ...shares, [split]: event.target.value })}
          />
        ))}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Which items"
          value={items}
          onChange={(event) => setItems(event.target.value === 'all' ? 'all' : 'without_split')}
        >
          <option value="without_split">Items without a split</option>
          <option value="all">All items, again</option>
        </SelectField>
        <TextField label="Seed" value={seed} maxLength={200} onChange={(event) => setSeed(event.target.value)} />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          isBusy={assignment.isPending}
          disabledReason={notEditable ?? (sum === 100 ? undefined : `The shares add up to ${sum} %, not to 100 %.`)}
        >
          Distribute
        </Button>
        {counts && (
          <span role="status" className="text-data text-soft tabular-nums">
            Now {counts.train} train, {counts.validation} validation, {counts.test} test.
          </span>
        )}
      </div>
      <ErrorReport error={assignment.error} />
    </form>
  )
}

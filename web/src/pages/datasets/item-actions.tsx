import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import type { DatasetItem, ItemSelection } from '../../api/generated/api.ts'
import { changeItems, refreshItems } from '../../api/item-rows-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SelectionBar } from '../../ui/data-table/selection-bar.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Select } from '../../ui/select-field.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { readSplit, splits } from './split-select.tsx'

interface ItemActionsProps {
  datasetKey: DatasetKey
  selection: ReadonlySet<string>
  /** What the list shows, to change all of it. */
  where: ItemSelection
  loaded: number
  total: number
  onSelect: (selection: ReadonlySet<string>) => void
}

const NOTHING: ReadonlySet<string> = new Set()

/** What can be done with the selected items, or with all that the list finds. */
export function ItemActions({ datasetKey, selection, where, loaded, total, onSelect }: ItemActionsProps) {
  const me = useMe()
  const queryClient = useQueryClient()
  const [isAll, setIsAll] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const notEditable = missingRole(me, 'editor', 'Changing items')
  const refresh = () => refreshItems(queryClient, datasetKey)
  const isWhole = isAll && selection.size === loaded
  const count = isWhole ? total : selection.size
  const chosen = isWhole ? { where } : { ids: [...selection] }
  const clear = () => {
    setIsAll(false)
    onSelect(NOTHING)
  }
  const undo = async (before: { split: DatasetItem['split']; ids: string[] }[]) => {
    for (const { split, ids } of before) await changeItems(datasetKey, { ids, set: { split } })
    await refresh()
  }
  const moving = useSubmission({
    mutationFn: (split: DatasetItem['split']) => changeItems(datasetKey, { ...chosen, set: { split } }),
    onSuccess: async ({ changed, before }, split) => {
      clear()
      await refresh()
      showUndoToast(`${countOf(changed, 'item')} moved to ${split ?? 'no split'}.`, () => void undo(before))
    },
  })
  const deletion = useSubmission({
    mutationFn: () => changeItems(datasetKey, { ...chosen, delete: true }),
    onSuccess: async () => {
      setIsDeleting(false)
      clear()
      await refresh()
    },
  })
  return (
    <>
      <div className="sticky bottom-0 z-20">
        <SelectionBar count={count} onClear={clear}>
          {!isWhole && selection.size === loaded && total > loaded && (
            <Button size="small" onClick={() => setIsAll(true)}>
              Select all {formatCount(total)}
            </Button>
          )}
          {notEditable === undefined && (
            <Select
              aria-label="Move to a split"
              value="choose"
              disabled={moving.isPending}
              onChange={(event) => moving.mutate(readSplit(event.target.value))}
            >
              <option value="choose" disabled>
                Move to split…
              </option>
              {splits.map((split) => (
                <option key={split} value={split}>
                  {split}
                </option>
              ))}
              <option value="">no split</option>
            </Select>
          )}
          <Button look="quiet" size="small" disabledReason={notEditable} onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
          <ErrorReport error={moving.error} />
        </SelectionBar>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${countOf(count, 'item')}?`}
          confirmLabel="Delete"
          isBusy={deletion.isPending}
          error={<ErrorReport error={deletion.error} />}
          onConfirm={() => deletion.mutate(undefined)}
          onClose={() => setIsDeleting(false)}
          {...(count > 100 && { typedName: String(count) })}
        >
          <p>
            They are removed from this dataset for good. Runs keep their traces, and evaluations keep the results that
            they have. Export the dataset first if you may need them again.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

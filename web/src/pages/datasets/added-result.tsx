import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiQuery } from '../../api/api-query.ts'
import {
  type AddedItems,
  type DatasetKey,
  deleteDataset,
  deleteItems,
  replaceExpected,
} from '../../api/dataset-items-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

interface AddedResultProps {
  datasetKey: DatasetKey
  result: AddedItems
  /** Undo deletes the dataset then, and its items with it. */
  isNewDataset: boolean
  /** What the user wrote for one trace. */
  expected: string | undefined
  onUndone: () => void
  onClose: () => void
}

/** More single requests than this would need too long. */
const UNDO_MAX = 200

/** What was added, and the way back. */
export function AddedResult({ datasetKey, result, isNewDataset, expected, onUndone, onClose }: AddedResultProps) {
  const { applicationId, componentId, datasetId } = datasetKey
  const { data: dataset } = useQuery(
    apiQuery('/components/{componentId}/datasets/{datasetId}', {
      applicationId,
      params: { path: { componentId, datasetId } },
    }),
  )
  const { addedIds } = result
  const canUndo = isNewDataset || (addedIds.length > 0 && addedIds.length <= UNDO_MAX)
  const undo = useSubmission({
    mutationFn: () => (isNewDataset ? deleteDataset(datasetKey) : deleteItems(datasetKey, addedIds)),
    onSuccess: onUndone,
  })
  const [existing] = result.existing
  const isIgnored = existing !== undefined && expected?.trim() && expected !== existing.expected
  const replacement = useSubmission({
    mutationFn: (itemId: string) => replaceExpected(datasetKey, itemId, expected ?? ''),
  })
  const name = dataset?.name ?? 'the dataset'
  return (
    <div className="flex flex-col gap-4">
      <div role="status">
        <Notice tone={result.added > 0 ? 'good' : 'info'} title={addedText(result.added, name)}>
          {result.skipped > 0 && <p>{skippedText(result.skipped)}</p>}
        </Notice>
      </div>
      {isIgnored && existing && !replacement.isSuccess && (
        <div className="flex flex-col items-start gap-2 text-data text-soft">
          <p>The item keeps its expected output. What you wrote is not saved yet.</p>
          <Button size="small" isBusy={replacement.isPending} onClick={() => replacement.mutate(existing.id)}>
            Replace its expected output
          </Button>
        </div>
      )}
      {replacement.isSuccess && (
        <p role="status" className="text-data text-soft">
          The expected output is replaced.
        </p>
      )}
      <ErrorReport error={undo.error ?? replacement.error} />
      <DialogActions>
        {canUndo && (
          <Button look="quiet" isBusy={undo.isPending} onClick={() => undo.mutate(undefined)}>
            Undo
          </Button>
        )}
        <Link to={pagePaths.dataset(applicationId, componentId, datasetId)} className={buttonClass('secondary')}>
          Show the dataset
        </Link>
        <Button ref={focusOnMount} look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}

function addedText(count: number, name: string): string {
  if (count === 0) return `Nothing was added to “${name}”.`
  return `Added ${countOf(count, 'item')} to “${name}”.`
}

function skippedText(count: number): string {
  return count === 1
    ? '1 trace was skipped, because it is an item already.'
    : `${countOf(count, 'trace')} were skipped, because they are items already.`
}

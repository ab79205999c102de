import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { addItems, type DatasetKey, deleteItems } from '../../api/dataset-items-query.ts'
import { refreshItems } from '../../api/item-rows-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'
import { findJsonError, readMetadata } from './find-json-error.ts'
import { readSplit, splits } from './split-select.tsx'

/** Writes one item. The dialog can stay open for the next. */
export function AddByHandDialog({ datasetKey, onClose }: { datasetKey: DatasetKey; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const refresh = () => refreshItems(queryClient, datasetKey)
  const addition = useSubmission({
    mutationFn: (form: FormData) => {
      const [expected, metadata] = [readText(form, 'expected'), readText(form, 'metadata')]
      return addItems(datasetKey, [
        {
          input: readText(form, 'input'),
          ...(expected && { expected }),
          ...(metadata && { metadata: readMetadata(metadata) }),
          split: readSplit(readText(form, 'split')),
        },
      ])
    },
    onSuccess: async ({ addedIds }) => {
      await refresh()
      showUndoToast('The item is added.', () => void deleteItems(datasetKey, addedIds).then(refresh))
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const found = findJsonError(readText(form, 'metadata'))
    setProblem(found)
    if (found !== undefined) return
    const isLast = !(
      event.nativeEvent instanceof SubmitEvent && event.nativeEvent.submitter?.dataset['next'] === 'true'
    )
    addition.mutate(form, {
      onSuccess: () => {
        if (isLast) return onClose()
        element.reset()
        return element.querySelector('textarea')?.focus()
      },
    })
  }
  return (
    <Dialog title="Add an item" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextAreaField
          label="Question"
          name="input"
          required
          rows={3}
          hint="A text, or the JSON that the component gets."
        />
        <TextAreaField label="Expected" name="expected" isOptional rows={3} hint="What a right answer says." />
        <TextAreaField label="Metadata" name="metadata" isOptional rows={2} placeholder={'{"channel": "mail"}'} />
        {problem && (
          <p role="alert" className="text-data text-danger">
            {problem}
          </p>
        )}
        <SelectField label="Split" name="split" isOptional>
          <option value="">no split</option>
          {splits.map((split) => (
            <option key={split} value={split}>
              {split}
            </option>
          ))}
        </SelectField>
        <ErrorReport error={addition.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" data-next="true" isBusy={addition.isPending}>
            Add and write the next
          </Button>
          <Button type="submit" look="primary" isBusy={addition.isPending}>
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

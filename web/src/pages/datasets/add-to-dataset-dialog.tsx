import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import {
  type AddedItems,
  addItems,
  addItemsFromQuery,
  addItemsWithOutput,
  type DatasetKey,
  ITEMS_PER_REQUEST,
} from '../../api/dataset-items-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { FormEnd } from '../shell/form-end.tsx'
import { AddedResult } from './added-result.tsx'
import { DatasetChooser } from './dataset-chooser.tsx'
import { useDatasetChoice } from './use-dataset-choice.ts'

/** What is added. */
export type DatasetSource =
  /** Selected traces, by their ids. */
  | { type: 'traces'; ids: string[] }
  /** The newest traces that match a query. */
  | { type: 'query'; q: string; total: number }
  /** One trace, whose expected output is edited here. */
  | { type: 'trace'; id: string; expected: string; isCorrected: boolean }

interface AddToDatasetDialogProps {
  applicationId: string
  source: DatasetSource
  /** Where the traces belong, if all of them belong to the same component. */
  componentId: string | undefined
  onClose: () => void
}

const DEFAULT_LIMIT = 100

/** Adds traces to a dataset as items; the dataset can be created here. Says what was added, and takes it back. */
export function AddToDatasetDialog({ applicationId, source, componentId, onClose }: AddToDatasetDialogProps) {
  const queryClient = useQueryClient()
  const choice = useDatasetChoice(applicationId, componentId)
  const [createdId, setCreatedId] = useState<string>()
  const [limit, setLimit] = useState(() => String(source.type === 'query' ? Math.min(source.total, DEFAULT_LIMIT) : 1))
  const [copies, setCopies] = useState<'none' | 'output'>('none')
  const [expected, setExpected] = useState(source.type === 'trace' ? source.expected : '')
  const refresh = () => queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId).slice(0, 2) })
  const addition = useSubmission({
    mutationFn: async (chosenComponent: string) => {
      const { id: datasetId, isNew } = await choice.ensureDataset(chosenComponent)
      if (isNew) {
        setCreatedId(datasetId)
        void refresh()
      }
      const key: DatasetKey = { applicationId, componentId: chosenComponent, datasetId }
      return { key, result: await add(key, source, { limit: Number(limit), copies, expected }) }
    },
    onSuccess: refresh,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (choice.componentId !== undefined) addition.mutate(choice.componentId)
  }
  return (
    <Dialog title={titleOf(source)} isOpen onClose={onClose}>
      {addition.data ? (
        <AddedResult
          datasetKey={addition.data.key}
          result={addition.data.result}
          isNewDataset={createdId === addition.data.key.datasetId}
          expected={source.type === 'trace' ? expected : undefined}
          onUndone={() => {
            void refresh()
            showToast({
              tone: 'good',
              message: createdId ? 'The new dataset is deleted again.' : 'The items are removed again.',
            })
            onClose()
          }}
          onClose={onClose}
        />
      ) : choice.isLoading ? (
        <Skeleton rows={3} />
      ) : (
        <form method="post" onSubmit={submit} className="flex flex-col gap-4">
          <DatasetChooser choice={choice} />
          {source.type === 'query' && (
            <TextField
              label="How many at most"
              type="number"
              required
              min={1}
              max={ITEMS_PER_REQUEST}
              value={limit}
              hint={`The newest of ${formatCount(source.total)} that match; at most ${formatCount(ITEMS_PER_REQUEST)} at once.`}
              onChange={(event) => setLimit(event.target.value)}
            />
          )}
          {source.type === 'trace' ? (
            <TextAreaField
              label="Expected output"
              isOptional
              rows={6}
              value={expected}
              hint={
                source.isCorrected
                  ? 'The corrected output of an annotation. Change it, or leave it empty.'
                  : 'The output of the trace. Change it to what would have been right, or leave it empty.'
              }
              onChange={(event) => setExpected(event.target.value)}
            />
          ) : (
            <SelectField
              label="Expected output"
              value={copies}
              onChange={(event) => setCopies(event.target.value === 'output' ? 'output' : 'none')}
            >
              <option value="none">None</option>
              <option value="output">The output of each trace</option>
            </SelectField>
          )}
          <FormEnd
            submitLabel={choice.datasetId === undefined ? 'Create and add' : 'Add'}
            error={addition.error}
            isBusy={addition.isPending || choice.areDatasetsPending}
            disabledReason={choice.componentId === undefined ? 'Create a component first.' : undefined}
            onCancel={onClose}
          />
        </form>
      )}
    </Dialog>
  )
}

interface AddOptions {
  limit: number
  copies: 'none' | 'output'
  expected: string
}

function add(key: DatasetKey, source: DatasetSource, { limit, copies, expected }: AddOptions): Promise<AddedItems> {
  if (source.type === 'query') return addItemsFromQuery(key, { q: source.q, limit, expected: copies })
  if (source.type === 'trace') return addItems(key, [{ traceId: source.id, ...(expected.trim() && { expected }) }])
  if (copies === 'output') return addItemsWithOutput(key, source.ids)
  return addItems(
    key,
    source.ids.map((traceId) => ({ traceId })),
  )
}

function titleOf(source: DatasetSource): string {
  if (source.type === 'trace') return 'Add this trace to a dataset'
  if (source.type === 'query') return 'Add all that match to a dataset'
  return `Add ${countOf(source.ids.length, 'trace')} to a dataset`
}

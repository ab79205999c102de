import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { createRun } from '../../api/runs-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { DatasetField } from '../datasets/dataset-chooser.tsx'
import { useDatasetChoice } from '../datasets/use-dataset-choice.ts'
import { FormEnd } from '../shell/form-end.tsx'
import { QueryError } from '../shell/query-error.tsx'

interface NewRunDialogProps {
  applicationId: string
  componentId: string
  onClose: () => void
}

/** Creates a run without cases; its page offers to add traces. */
export function NewRunDialog({ applicationId, componentId, onClose }: NewRunDialogProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const choice = useDatasetChoice(applicationId, componentId)
  const [name, setName] = useState('')
  const creation = useSubmission({
    mutationFn: async (title: string) => {
      const { id: datasetId } = await choice.ensureDataset(componentId)
      return createRun(applicationId, componentId, { name: title, datasetId })
    },
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId).slice(0, 2) })
      await navigate({ to: pagePaths.run(applicationId, componentId, id) })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creation.mutate(name.trim())
  }
  return (
    <Dialog title="New run" isOpen onClose={onClose}>
      {choice.failed ? (
        <QueryError query={choice.failed} />
      ) : choice.isLoading ? (
        <Skeleton rows={2} />
      ) : (
        <form method="post" onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-soft">
            A run is what one version of the component answered to the items of a dataset. Next you choose its traces.
          </p>
          <TextField
            ref={focusOnMount}
            label="Name"
            required
            pattern=".*\S.*"
            maxLength={500}
            autoComplete="off"
            placeholder="prompt v2"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <DatasetField choice={choice} />
          <FormEnd submitLabel="Create run" error={creation.error} isBusy={creation.isPending} onCancel={onClose} />
        </form>
      )}
    </Dialog>
  )
}

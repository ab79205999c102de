import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { apiKey } from '../../api/api-query.ts'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import { deleteDataset, renameDataset } from '../../api/dataset-items-query.ts'
import type { Component, Dataset, DatasetContents } from '../../api/generated/api.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'
import { AddByHandDialog } from './add-by-hand-dialog.tsx'
import { AddByQueryDialog } from './add-by-query-dialog.tsx'
import type { DatasetDialog } from './dataset-actions.tsx'
import { DatasetSettingsDialog } from './dataset-settings-dialog.tsx'

interface DatasetDialogsProps {
  dialog: DatasetDialog | undefined
  datasetKey: DatasetKey
  component: Component
  dataset: Dataset
  contents: DatasetContents | undefined
  onClose: () => void
}

export function DatasetDialogs({ dialog, datasetKey, component, dataset, contents, onClose }: DatasetDialogsProps) {
  switch (dialog) {
    case 'by-hand':
      return <AddByHandDialog datasetKey={datasetKey} onClose={onClose} />
    case 'by-query':
      return <AddByQueryDialog datasetKey={datasetKey} component={component} onClose={onClose} />
    case 'settings':
      return <DatasetSettingsDialog datasetKey={datasetKey} contents={contents} onClose={onClose} />
    case 'rename':
      return <RenameDialog datasetKey={datasetKey} dataset={dataset} onClose={onClose} />
    case 'delete':
      return <DeleteDialog datasetKey={datasetKey} dataset={dataset} onClose={onClose} />
    default:
      return null
  }
}

interface OneDialogProps {
  datasetKey: DatasetKey
  dataset: Dataset
  onClose: () => void
}

function RenameDialog({ datasetKey, dataset, onClose }: OneDialogProps) {
  const queryClient = useQueryClient()
  const change = useSubmission({
    mutationFn: (named: { name: string; description: string | null }) => renameDataset(datasetKey, named),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: apiKey('/components', datasetKey.applicationId).slice(0, 2) })
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate({ name: readText(form, 'name'), description: readText(form, 'description') || null })
  }
  return (
    <Dialog title="Rename the dataset" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextField label="Name" name="name" required pattern=".*\S.*" defaultValue={dataset.name} autoComplete="off" />
        <TextAreaField label="Description" name="description" isOptional defaultValue={dataset.description ?? ''} />
        <FormEnd submitLabel="Save" error={change.error} isBusy={change.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function DeleteDialog({ datasetKey, dataset, onClose }: OneDialogProps) {
  const { applicationId, componentId } = datasetKey
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const deletion = useSubmission({
    mutationFn: () => deleteDataset(datasetKey),
    onSuccess: async () => {
      await navigate({ to: pagePaths.componentPart(applicationId, componentId, 'datasets'), replace: true })
      void queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId).slice(0, 2) })
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${dataset.name}?`}
      confirmLabel="Delete dataset"
      typedName={dataset.name}
      isBusy={deletion.isPending}
      error={<ErrorReport error={deletion.error} />}
      onConfirm={() => deletion.mutate(undefined)}
      onClose={onClose}
    >
      <p>Its items, runs and evaluations are deleted with it. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

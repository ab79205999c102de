import type { FormEvent } from 'react'
import type { Run } from '../../api/generated/api.ts'
import type { RunKey } from '../../api/run-query.ts'
import { useDeleteRun, useRenameRun } from '../../api/runs-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

export function RenameRunDialog({ runKey, run, onClose }: { runKey: RunKey; run: Run; onClose: () => void }) {
  const rename = useRenameRun(runKey)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = readText(new FormData(event.currentTarget), 'name')
    rename.mutate(name || null, { onSuccess: onClose })
  }
  return (
    <Dialog title="Rename run" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          defaultValue={run.name ?? ''}
          maxLength={500}
          autoComplete="off"
          hint="Without a name, the run is known by its dataset, its number of cases and its time."
        />
        <FormEnd submitLabel="Rename" error={rename.error} isBusy={rename.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

interface DeleteRunDialogProps {
  runKey: RunKey
  title: string
  onDeleted: () => void
  onClose: () => void
}

export function DeleteRunDialog({ runKey, title, onDeleted, onClose }: DeleteRunDialogProps) {
  const remove = useDeleteRun(runKey)
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${title}.` })
        onDeleted()
      },
    })
  return (
    <ConfirmDialog
      title="Delete run"
      confirmLabel="Delete run"
      typedName={title}
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{title}</bdi> goes with its ratings. Its traces and evaluations stay. This
      cannot be undone.
    </ConfirmDialog>
  )
}

import { type TrialKey, useDeleteTrial } from '../../api/trials-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteTrialDialogProps {
  trialKey: TrialKey
  title: string
  /** Whether it still runs. */
  isOpen: boolean
  onDeleted: () => void
  onClose: () => void
}

export function DeleteTrialDialog({ trialKey, title, isOpen, onDeleted, onClose }: DeleteTrialDialogProps) {
  const remove = useDeleteTrial(trialKey)
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${title}.` })
        onDeleted()
      },
    })
  return (
    <ConfirmDialog
      title="Delete trial"
      confirmLabel="Delete trial"
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{title}</bdi> goes with the list of its calls{isOpen && ', and stops'}. Its
      runs, their traces and evaluations stay. This cannot be undone.
    </ConfirmDialog>
  )
}

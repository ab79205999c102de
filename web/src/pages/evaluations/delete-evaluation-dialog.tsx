import type { EvaluationKey } from '../../api/components-query.ts'
import { useDeleteEvaluation } from '../../api/evaluation-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteEvaluationDialogProps {
  evaluationKey: EvaluationKey
  title: string
  /** Whether it still runs. */
  isOpen: boolean
  onDeleted: () => void
  onClose: () => void
}

export function DeleteEvaluationDialog({
  evaluationKey,
  title,
  isOpen,
  onDeleted,
  onClose,
}: DeleteEvaluationDialogProps) {
  const remove = useDeleteEvaluation(evaluationKey)
  const confirm = () => {
    // Away from the page first: it would ask for an evaluation that is gone.
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${title}.` })
        onDeleted()
      },
    })
  }
  return (
    <ConfirmDialog
      title="Delete evaluation"
      confirmLabel="Delete evaluation"
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{title}</bdi> goes with its scores{isOpen && ', and stops'}. The run, its
      traces and their ratings stay. This cannot be undone.
    </ConfirmDialog>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { apiKey } from '../../api/api-query.ts'
import { deleteTraces } from '../../api/trace-list-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteTracesDialogProps {
  applicationId: string
  ids: string[]
  onDeleted: () => void
  onClose: () => void
}

export function DeleteTracesDialog({ applicationId, ids, onDeleted, onClose }: DeleteTracesDialogProps) {
  const queryClient = useQueryClient()
  const deletion = useSubmission({
    mutationFn: () => deleteTraces(applicationId, ids),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/traces', applicationId) }),
  })
  const count = countOf(ids.length, 'trace')
  const confirm = () =>
    deletion.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${count}.` })
        onDeleted()
      },
    })
  return (
    <ConfirmDialog
      title={`Delete ${count}?`}
      confirmLabel="Delete"
      isBusy={deletion.isPending}
      error={<ErrorReport error={deletion.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      Their spans, ratings and comments are deleted, too. This cannot be undone. Items of datasets stay.
    </ConfirmDialog>
  )
}

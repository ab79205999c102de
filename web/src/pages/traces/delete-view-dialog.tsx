import type { View } from '../../api/generated/api.ts'
import { useDeleteView } from '../../api/views-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteViewDialogProps {
  applicationId: string
  view: View
  onDeleted: () => void
  onClose: () => void
}

export function DeleteViewDialog({ applicationId, view, onDeleted, onClose }: DeleteViewDialogProps) {
  const deletion = useDeleteView(applicationId)
  const confirm = () =>
    deletion.mutate(view.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted the view “${view.name}”.` })
        onDeleted()
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="Delete this view?"
      confirmLabel="Delete"
      isBusy={deletion.isPending}
      error={<ErrorReport error={deletion.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      {view.shared
        ? `“${view.name}” disappears for all members of the application. No trace is deleted.`
        : `“${view.name}” disappears. No trace is deleted.`}
    </ConfirmDialog>
  )
}

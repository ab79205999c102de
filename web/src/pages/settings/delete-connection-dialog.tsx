import { useDeleteConnection } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteConnectionDialogProps {
  applicationId: string
  connection: Connection
  onClose: () => void
}

export function DeleteConnectionDialog({ applicationId, connection, onClose }: DeleteConnectionDialogProps) {
  const remove = useDeleteConnection(applicationId, connection.id)
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${connection.name}.` })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="Delete connection"
      confirmLabel="Delete connection"
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{connection.name}</bdi>
      {connection.hasKey ? ' and its key are deleted.' : ' is deleted.'} Evaluations that use it will fail. Scores they
      already have stay.
    </ConfirmDialog>
  )
}

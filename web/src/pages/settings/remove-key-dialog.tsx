import { useUpdateConnection } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface RemoveKeyDialogProps {
  applicationId: string
  connection: Connection
  onClose: () => void
}

export function RemoveKeyDialog({ applicationId, connection, onClose }: RemoveKeyDialogProps) {
  const update = useUpdateConnection(applicationId, connection.id)
  const onSuccess = () => {
    showToast({ tone: 'good', message: `Removed the key of ${connection.name}.` })
    onClose()
  }
  return (
    <ConfirmDialog
      title="Remove key"
      confirmLabel="Remove key"
      isBusy={update.isPending}
      error={<ErrorReport error={update.error} />}
      onConfirm={() => update.mutate({ apiKey: null }, { onSuccess })}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{connection.name}</bdi> is then called without a key. Nothing can show the
      key again; at the provider it stays valid until you revoke it there.
    </ConfirmDialog>
  )
}

import { useDeleteEndpoint } from '../../api/endpoints-query.ts'
import type { Endpoint } from '../../api/generated/api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteEndpointDialogProps {
  applicationId: string
  endpoint: Endpoint
  onClose: () => void
}

export function DeleteEndpointDialog({ applicationId, endpoint, onClose }: DeleteEndpointDialogProps) {
  const remove = useDeleteEndpoint(applicationId, endpoint.id)
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${endpoint.name}.` })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="Delete endpoint"
      confirmLabel="Delete endpoint"
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{endpoint.name}</bdi>
      {endpoint.headerNames.length > 0 ? ' and its headers are deleted.' : ' is deleted.'} The service itself is not
      touched.
    </ConfirmDialog>
  )
}

import { useDeleteComponent } from '../../api/components-query.ts'
import type { Component } from '../../api/generated/api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeleteComponentDialogProps {
  applicationId: string
  component: Component
  onDeleted: () => void
  onClose: () => void
}

export function DeleteComponentDialog({ applicationId, component, onDeleted, onClose }: DeleteComponentDialogProps) {
  const remove = useDeleteComponent(applicationId)
  const confirm = () =>
    remove.mutate(component.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${component.name}.` })
        onDeleted()
      },
    })
  return (
    <ConfirmDialog
      title="Delete component"
      confirmLabel="Delete component"
      typedName={component.name}
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{component.name}</bdi> goes with its datasets, runs, annotations and
      evaluations. Its traces stay. This cannot be undone.
    </ConfirmDialog>
  )
}

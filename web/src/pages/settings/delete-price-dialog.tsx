import type { Price } from '../../api/generated/api.ts'
import { useDeletePrice } from '../../api/prices-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface DeletePriceDialogProps {
  applicationId: string
  price: Price
  onClose: () => void
}

export function DeletePriceDialog({ applicationId, price, onClose }: DeletePriceDialogProps) {
  const remove = useDeletePrice(applicationId)
  const confirm = () =>
    remove.mutate(price.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted the price for ${price.modelPattern}.` })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="Delete price"
      confirmLabel="Delete price"
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      New calls of <code className="font-mono text-[0.8125rem] text-ink">{price.modelPattern}</code> are priced by the
      next price that matches, or by the bundled one. Without either, their cost is unknown. Stored costs do not change.
    </ConfirmDialog>
  )
}

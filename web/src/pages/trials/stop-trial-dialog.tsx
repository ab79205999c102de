import type { TrialDetail } from '../../api/generated/api.ts'
import type { useCancelTrial } from '../../api/trials-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { waitingCalls } from './trial-words.ts'

interface StopTrialDialogProps {
  trial: TrialDetail
  cancel: ReturnType<typeof useCancelTrial>
  onClose: () => void
}

export function StopTrialDialog({ trial: { progress }, cancel, onClose }: StopTrialDialogProps) {
  return (
    <ConfirmDialog
      title="Stop the trial"
      confirmLabel="Stop the trial"
      isBusy={cancel.isPending}
      error={<ErrorReport error={cancel.error} />}
      onConfirm={() => cancel.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {countOf(waitingCalls(progress), 'call')} {waitingCalls(progress) === 1 ? 'has' : 'have'} not ended and will be
      skipped; nothing is evaluated or compared. The answers that are there stay in the runs, and “Retry” goes on later.
    </ConfirmDialog>
  )
}

import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { countDays } from './count-days.ts'

interface ShortenRetentionDialogProps {
  days: number
  applicationName: string
  isBusy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

const DAY_MS = 86_400_000

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' })

export function ShortenRetentionDialog({ days, applicationName, isBusy, error, ...on }: ShortenRetentionDialogProps) {
  return (
    <ConfirmDialog
      title="Delete older traces"
      confirmLabel="Delete older traces"
      typedName={applicationName}
      isBusy={isBusy}
      error={<ErrorReport error={error} />}
      {...on}
    >
      <p>
        Traces are kept for <strong className="font-medium text-ink">{countDays(days)}</strong>. All that arrived before{' '}
        <strong className="font-medium text-ink">{day.format(Date.now() - days * DAY_MS)}</strong> are deleted
        permanently within minutes; from then on, each trace when it reaches that age.
      </p>
      <p className="mt-2">This cannot be undone. Dataset items keep their own copy of input and output.</p>
    </ConfirmDialog>
  )
}

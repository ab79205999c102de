import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { ErrorReport } from './error-report.tsx'

interface FormEndProps {
  submitLabel: string
  error: Error | null
  isBusy: boolean
  disabledReason?: string | undefined
  onCancel: () => void
}

/** The end of a form in a dialog: why it failed, Cancel, and the button that submits it. */
export function FormEnd({ submitLabel, error, isBusy, disabledReason, onCancel }: FormEndProps) {
  return (
    <>
      <ErrorReport error={error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy} disabledReason={disabledReason}>
          {submitLabel}
        </Button>
      </DialogActions>
    </>
  )
}

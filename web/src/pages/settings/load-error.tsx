import { describeError } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'

interface LoadErrorProps {
  error: Error
  isBusy: boolean
  onRetry: () => void
}

/** Replaces content that could not be loaded. */
export function LoadError({ error, isBusy, onRetry }: LoadErrorProps) {
  return (
    <ErrorNotice {...describeError(error)}>
      <Button size="small" className="mt-2" isBusy={isBusy} onClick={onRetry}>
        Try again
      </Button>
    </ErrorNotice>
  )
}

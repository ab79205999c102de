import { useAllowTarget } from '../../api/allowed-targets-query.ts'
import { hasStatus } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorReport } from '../shell/error-report.tsx'

interface AllowTargetProps {
  applicationId: string
  /** Why the connection was rejected. */
  error: Error | null
  /** Tries the connection again. */
  onAllowed: () => void
}

/** Offers to allow the address that the server has just rejected, so that a model on this machine needs no restart. */
export function AllowTarget({ applicationId, error, onAllowed }: AllowTargetProps) {
  const allow = useAllowTarget(applicationId)
  const target = hasStatus(error, 400) || hasStatus(error, 503) ? targetIn(error.message) : undefined
  if (target === undefined) return null
  return (
    <div className="flex flex-col items-start gap-2">
      <Button isBusy={allow.isPending} onClick={() => allow.mutate(target, { onSuccess: onAllowed })}>
        Allow {target} and try again
      </Button>
      <ErrorReport error={allow.error} />
    </div>
  )
}

function targetIn(message: string): string | undefined {
  return /can allow (\S+) on the page Models/.exec(message)?.[1]
}

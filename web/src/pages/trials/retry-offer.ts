import type { TrialDetail, TrialFailure } from '../../api/generated/api.ts'
import { isOpen } from './trial-words.ts'

interface RetryOffer {
  /** Calls that a retry sends again. */
  count: number
  disabledReason: string | undefined
}

/** What a retry would do: permanent failures, and the calls of a variant that only failed, are not sent again. */
export function retryOffer(trial: TrialDetail, failures: readonly TrialFailure[] | undefined): RetryOffer {
  const retryable = (failures ?? []).filter((one) => one.retryable).reduce((sum, { calls }) => sum + calls, 0)
  const endedEarly = trial.endedBy !== null && trial.endedBy !== 'done'
  const skipped = endedEarly
    ? trial.variants.filter(({ reason }) => reason === null).reduce((sum, one) => sum + one.skipped, 0)
    : 0
  const count = retryable + skipped
  return { count, disabledReason: whyNot(trial, count, failures) }
}

function whyNot(trial: TrialDetail, count: number, failures: readonly TrialFailure[] | undefined): string | undefined {
  if (isOpen(trial)) return 'The trial has not ended yet.'
  if (failures === undefined) return 'The failed calls are being read.'
  if (count > 0) return undefined
  if (failures.length > 0) return 'No failed call can succeed if it is repeated: the reasons are below.'
  return 'Every call has an answer.'
}

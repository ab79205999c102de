import { useEffect, useState } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'

/** The reason why signing in failed; after too many attempts also the time of the next one. */
export function SignInError({ error }: { error: Error | null }) {
  if (!error) return null
  const waitSeconds = hasStatus(error, 429) ? error.retryAfterSeconds : undefined
  return (
    <ErrorNotice {...describeError(error)}>
      {waitSeconds !== undefined && <Countdown seconds={waitSeconds} />}
    </ErrorNotice>
  )
}

function Countdown({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds)
  // The clock is outside of React, so the remaining time needs an effect.
  useEffect(() => {
    const until = Date.now() + seconds * 1000
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 1000)
    return () => clearInterval(timer)
  }, [seconds])
  // The alert announces the first value; announcing every second would drown everything else.
  return <p aria-live="off">{left > 0 ? `You can try again in ${formatWait(left)}.` : 'You can try again now.'}</p>
}

function formatWait(seconds: number): string {
  if (seconds < 90) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  return `${Math.ceil(seconds / 60)} minutes`
}

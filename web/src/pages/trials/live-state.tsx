import type { LiveTrial } from '../../api/trial-progress.ts'
import { Button } from '../../ui/button.tsx'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Whether the numbers of the page still change by themselves. */
export function LiveState({
  live: { sent, lostAt, reconnect },
}: {
  live: Pick<LiveTrial, 'lostAt' | 'reconnect'> & { sent: unknown }
}) {
  if (lostAt)
    return (
      <>
        <span role="status" className="text-warn">
          Live paused, last {clock.format(lostAt)}
        </span>
        <Button look="quiet" size="small" onClick={reconnect}>
          Connect again
        </Button>
      </>
    )
  if (!sent) return null
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className="size-1.5 rounded-full bg-good" />
      Live
    </span>
  )
}

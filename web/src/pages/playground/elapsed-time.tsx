import { useEffect, useState } from 'react'
import { countOf } from '../../ui/format-number.ts'

/** How long a cell writes. Screen readers hear the end of it only. */
export function ElapsedTime({ sinceMs }: { sinceMs: number }) {
  const now = useNow(200)
  return (
    <span aria-hidden className="text-faint tabular-nums">
      {(Math.max(0, now - sinceMs) / 1_000).toFixed(1)} s
    </span>
  )
}

export function Countdown({ untilMs }: { untilMs: number }) {
  const now = useNow(1_000)
  const seconds = Math.max(0, Math.ceil((untilMs - now) / 1_000))
  return <span aria-live="off">Next try by itself in {countOf(seconds, 'second')}.</span>
}

/** The clock is outside of React, so it needs an effect. */
function useNow(stepMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return now
}

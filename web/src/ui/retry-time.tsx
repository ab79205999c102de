import { useEffect, useState } from 'react'
import { countOf } from './format-number.ts'

/** When a rejected request may be sent again. Counts down, so that the user knows how long to wait. */
export function RetryTime({ atMs }: { atMs: number }) {
  const [left, setLeft] = useState(() => secondsUntil(atMs))
  // The clock is outside of React, so the remaining time needs an effect.
  useEffect(() => {
    setLeft(secondsUntil(atMs))
    const timer = setInterval(() => setLeft(secondsUntil(atMs)), 1000)
    return () => clearInterval(timer)
  }, [atMs])
  // The alert announces the first value; announcing every second would drown everything else.
  return (
    <span aria-live="off" className="block">
      {left > 0 ? `You can try again in ${formatWait(left)}.` : 'You can try again now.'}
    </span>
  )
}

function secondsUntil(timeMs: number): number {
  return Math.max(0, Math.ceil((timeMs - Date.now()) / 1000))
}

function formatWait(seconds: number): string {
  return seconds < 90 ? countOf(seconds, 'second') : countOf(Math.ceil(seconds / 60), 'minute')
}

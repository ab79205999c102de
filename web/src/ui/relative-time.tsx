const daySeconds = 86_400

/** Each unit, its length, and the minimum distance for its use: days are more precise than "last month". */
const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number, fromSeconds: number][] = [
  ['year', 365 * daySeconds, 730 * daySeconds],
  ['month', 30 * daySeconds, 100 * daySeconds],
  ['day', daySeconds, daySeconds],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'medium' })

/** "3 hours ago", with the exact time on hover. */
export function RelativeTime({ time }: { time: string }) {
  const date = new Date(time)
  return (
    <time dateTime={time} title={absolute.format(date)} className="whitespace-nowrap">
      {formatRelative(date, new Date())}
    </time>
  )
}

function formatRelative(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000
  const found = units.find(([, , fromSeconds]) => Math.abs(seconds) >= fromSeconds)
  if (!found) return seconds > 0 ? 'in a moment' : 'just now'
  const [unit, unitSeconds] = found
  // Times in the future are rounded: a key created for 90 days should not show 89.
  const count = seconds / unitSeconds
  return relative.format(seconds > 0 ? Math.round(count) : Math.trunc(count), unit)
}

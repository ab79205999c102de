const daySeconds = 86_400

/** Each unit, its length, and from which distance on it is used: days say more than "last month". */
const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number, fromSeconds: number][] = [
  ['year', 365 * daySeconds, 730 * daySeconds],
  ['month', 30 * daySeconds, 100 * daySeconds],
  ['day', daySeconds, daySeconds],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'medium' })

/** "3 hours ago"; the exact time shows on hover. */
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
  // What lies ahead is rounded: a key made for 90 days should not say 89 at once.
  const count = seconds / unitSeconds
  return relative.format(seconds > 0 ? Math.round(count) : Math.trunc(count), unit)
}

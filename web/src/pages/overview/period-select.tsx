import { CalendarDays } from 'lucide-react'
import { type Period, periods } from '../../api/overview-query.ts'

interface PeriodSelectProps {
  value: Period
  onChange: (period: Period) => void
}

export const periodNames: Record<Period, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

/** How far back the numbers of traces go. */
export function PeriodSelect({ value, onChange }: PeriodSelectProps) {
  return (
    <span className="relative inline-flex items-center">
      <CalendarDays aria-hidden className="pointer-events-none absolute left-2.5 size-4 text-faint" />
      <select
        aria-label="Period"
        value={value}
        onChange={(event) => {
          const period = periods.find((known) => known === event.target.value)
          if (period) onChange(period)
        }}
        className="min-h-8 cursor-pointer rounded-control border border-edge/60 bg-raised pr-2 pl-8 text-data font-medium text-ink shadow-lift hover:border-edge touch:min-h-11"
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            {periodNames[period]}
          </option>
        ))}
      </select>
    </span>
  )
}

import { formatCount } from '../../ui/format-number.ts'

interface OutcomeBarProps {
  wins: number
  ties: number
  losses: number
}

/** How many pairs got better, stayed the same or got worse. */
export function OutcomeBar({ wins, ties, losses }: OutcomeBarProps) {
  const total = wins + ties + losses
  const parts = [
    { count: wins, className: 'fill-good' },
    { count: ties, className: 'fill-edge/35' },
    { count: losses, className: 'fill-danger' },
  ]
  let at = 0
  return (
    <div className="min-w-28">
      <svg aria-hidden height={5} className="block w-full rounded-full">
        {total > 0 &&
          parts.map(({ count, className }) => {
            const x = (100 * at) / total
            at += count
            return (
              <rect key={className} x={`${x}%`} width={`${(100 * count) / total}%`} height={5} className={className} />
            )
          })}
      </svg>
      <div className="mt-1 flex justify-between gap-2 text-meta whitespace-nowrap text-soft tabular-nums">
        <span>
          <span aria-hidden>▲ </span>
          <span className="sr-only">better: </span>
          {formatCount(wins)}
        </span>
        <span>
          <span aria-hidden>= </span>
          <span className="sr-only">same: </span>
          {formatCount(ties)}
        </span>
        <span>
          <span aria-hidden>▼ </span>
          <span className="sr-only">worse: </span>
          {formatCount(losses)}
        </span>
      </div>
    </div>
  )
}

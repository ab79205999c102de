import { formatCost } from '../../ui/format-number.ts'

/** What was paid, against the limit if there is one. */
export function SpentBar({ spentUsd, maxUsd }: { spentUsd: number; maxUsd: number | null }) {
  return (
    <div className="tabular-nums">
      <p className="whitespace-nowrap">
        <b className="font-semibold">{formatCost(spentUsd)}</b>
        <span className="text-soft">{maxUsd === null ? ', no limit' : ` of ${formatCost(maxUsd)}`}</span>
      </p>
      {maxUsd !== null && (
        <span aria-hidden className="mt-1.5 block h-1.5 w-24 rounded-full bg-hover">
          <span
            className="block h-full rounded-full bg-ink"
            style={{ width: `${Math.min(100, (100 * spentUsd) / maxUsd)}%` }}
          />
        </span>
      )}
    </div>
  )
}

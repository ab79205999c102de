import type { TraceTokens } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'

/** Input and output as shares of one bar, with what was cached and what was reasoning: both have prices of their own. */
export function TokenBar({ tokens }: { tokens: TraceTokens }) {
  const parts = partsOf(tokens)
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  return (
    <>
      <div aria-hidden className="mt-1 mb-1.5 flex h-2 gap-px overflow-hidden rounded-full">
        {parts.map(({ label, count, color }) => (
          <span key={label} className={color} style={{ width: `${(count / total) * 100}%` }} />
        ))}
      </div>
      <dl className="grid grid-cols-[minmax(0,1fr)_auto] text-soft">
        {parts.map(({ label, count, color }) => (
          <div key={label} className="contents">
            <dt className="flex items-center gap-2">
              <span aria-hidden className={`size-2 shrink-0 rounded-xs ${color}`} />
              {label}
            </dt>
            <dd className="text-right text-ink tabular-nums">{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Cached tokens are part of the input, and reasoning is part of the output; the parts of the bar are disjoint. */
function partsOf({ input, cacheRead, cacheWrite, output, reasoning }: TraceTokens) {
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const parts = [
    { label: 'Input, read from cache', count: cacheRead ?? 0, color: 'bg-edge/50' },
    { label: 'Input, written to cache', count: cacheWrite ?? 0, color: 'bg-edge' },
    { label: 'Input', count: Math.max(0, (input ?? 0) - cached), color: 'bg-faint' },
    { label: 'Reasoning', count: reasoning ?? 0, color: 'bg-gold' },
    { label: 'Output', count: Math.max(0, (output ?? 0) - (reasoning ?? 0)), color: 'bg-series-4' },
  ]
  return parts.filter(({ count }) => count > 0)
}

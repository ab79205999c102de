interface SparkBarsProps {
  /** For screen readers: "6,214 traces in 7 days, 118 errors". */
  summary: string
  values: { count: number; errors: number }[]
}

const volumeHeight = 16
const errorsHeight = 6

/** Volume and errors at the size of a word, for table cells; the number next to it is printed by the caller. */
export function SparkBars({ summary, values }: SparkBarsProps) {
  const most = Math.max(1, ...values.map(({ count }) => count))
  const step = 100 / values.length
  return (
    <span className="inline-block w-[76px] align-middle">
      <span className="sr-only">{summary}</span>
      <svg aria-hidden height={volumeHeight + errorsHeight} className="block w-full">
        {values.map(({ count, errors }, index) => {
          const height = count > 0 ? Math.max(1, (count / most) * volumeHeight) : 0
          const depth = errors > 0 ? Math.min(errorsHeight, Math.max(2, (errors / most) * volumeHeight)) : 0
          const place = { x: `${index * step}%`, width: `${step * 0.78}%` }
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity but their position
            <g key={index}>
              <rect {...place} y={volumeHeight - height} height={height} className="fill-mark" />
              {errors > 0 && <rect {...place} y={volumeHeight + 0.5} height={depth} className="fill-danger" />}
            </g>
          )
        })}
      </svg>
    </span>
  )
}

import type { PercentScale } from './percent-scale.ts'
import type { TimeBucket } from './time-buckets.ts'

interface TimeBarsProps {
  buckets: TimeBucket[]
  bucketMs: number
  scale: PercentScale
  errorsScale: 1 | 10
}

const volumeHeight = 62
const errorsHeight = 24

export function TimeBars({ buckets, bucketMs, scale, errorsScale }: TimeBarsProps) {
  const most = Math.max(1, ...buckets.map(({ count }) => count))
  const tall = (count: number) => (count / most) * (volumeHeight - 14)
  return (
    <svg aria-hidden height={volumeHeight + errorsHeight} className="block w-full">
      {buckets.map(({ start, count, errors }) => {
        const left = scale.at(start)
        // A gap of a tenth between neighbors.
        const width = Math.max(0, (scale.at(start + bucketMs) - left) * 0.9)
        const x = `${left}%`
        const height = count > 0 ? Math.max(2, tall(count)) : 0
        const depth = errors > 0 ? Math.min(errorsHeight - 2, Math.max(3, tall(errors) * errorsScale)) : 0
        return (
          <g key={start}>
            <rect
              x={x}
              width={`${width}%`}
              y={volumeHeight - height}
              height={height}
              className="fill-mark opacity-40"
            />
            {count > 0 && (
              <rect x={x} width={`${width}%`} y={volumeHeight - height} height={1.5} className="fill-mark" />
            )}
            {errors > 0 && (
              <rect x={x} width={`${width}%`} y={volumeHeight + 1} height={depth} className="fill-danger" />
            )}
          </g>
        )
      })}
      <line x1="0" x2="100%" y1={volumeHeight + 0.5} y2={volumeHeight + 0.5} className="stroke-edge/70" />
    </svg>
  )
}

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

/** Three paths instead of a shape per bucket: a page may have few elements, and a chart has hundreds of buckets. */
export function TimeBars({ buckets, bucketMs, scale, errorsScale }: TimeBarsProps) {
  const most = Math.max(1, ...buckets.map(({ count }) => count))
  const tall = (count: number) => (count / most) * (volumeHeight - 14)
  const bars = buckets.map(({ start, count, errors }) => {
    const left = scale.at(start)
    // A gap of a tenth between neighbors.
    const width = Math.max(0, (scale.at(start + bucketMs) - left) * 0.9)
    const height = count > 0 ? Math.max(2, tall(count)) : 0
    const depth = errors > 0 ? Math.min(errorsHeight - 2, Math.max(3, tall(errors) * errorsScale)) : 0
    const box = (top: number, tallness: number) =>
      tallness > 0 ? `M${left} ${top}h${width}v${tallness}h-${width}z` : ''
    return {
      volume: box(volumeHeight - height, height),
      cap: box(volumeHeight - height, height > 0 ? 1.5 : 0),
      errors: box(volumeHeight + 1, depth),
    }
  })
  return (
    <svg
      aria-hidden
      height={volumeHeight + errorsHeight}
      viewBox={`0 0 100 ${volumeHeight + errorsHeight}`}
      preserveAspectRatio="none"
      className="block w-full"
    >
      <path d={bars.map(({ volume }) => volume).join('')} className="fill-mark opacity-40" />
      <path d={bars.map(({ cap }) => cap).join('')} className="fill-mark" />
      <path d={bars.map(({ errors }) => errors).join('')} className="fill-danger" />
      <path d={`M0 ${volumeHeight}h100v1h-100z`} className="fill-edge/70" />
    </svg>
  )
}

interface VariantMarkProps {
  place: number
}

/** The baseline is a blue circle, the first candidates a diamond, a square and a triangle; all others are gray. */
export function VariantMark({ place }: VariantMarkProps) {
  return (
    <svg aria-hidden viewBox="-8 -8 16 16" className="mr-1.5 inline-block size-3 shrink-0 align-[-1px]">
      <VariantShape place={place} className={variantColors(place).fill} />
    </svg>
  )
}

/** Around the origin of a plot. */
export function VariantShape({ place, className }: VariantMarkProps & { className: string }) {
  return <path d={shapes[place] ?? CIRCLE} className={className} />
}

export function variantColors(place: number): { fill: string; stroke: string } {
  return colors[place] ?? { fill: 'fill-mark', stroke: 'stroke-mark' }
}

const CIRCLE = 'M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z'

const shapes = [CIRCLE, 'M0-6.7L6.7 0L0 6.7L-6.7 0Z', 'M-5-5H5V5H-5Z', 'M0-6L6 5H-6Z']

const colors = [
  { fill: 'fill-series-1', stroke: 'stroke-series-1' },
  { fill: 'fill-series-2', stroke: 'stroke-series-2' },
  { fill: 'fill-series-3', stroke: 'stroke-series-3' },
  { fill: 'fill-series-4', stroke: 'stroke-series-4' },
]

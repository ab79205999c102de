/** The baseline is a blue circle, the first candidates a diamond, a square and a triangle; all others are gray. */
export function VariantMark({ place, isInPlot }: { place: number; isInPlot?: boolean }) {
  const { d, className } = marks[place] ?? OTHER
  if (isInPlot) return <path d={d} transform="scale(0.75)" className={className} />
  return (
    <svg aria-hidden viewBox="-8 -8 16 16" className="mr-1.5 inline-block size-3 shrink-0 align-[-1px]">
      <path d={d} className={className} />
    </svg>
  )
}

const CIRCLE = 'M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z'
const OTHER = { d: CIRCLE, className: 'fill-mark' }

const marks = [
  { d: CIRCLE, className: 'fill-series-1' },
  { d: 'M0-6.7L6.7 0L0 6.7L-6.7 0Z', className: 'fill-series-2' },
  { d: 'M-5-5H5V5H-5Z', className: 'fill-series-3' },
  { d: 'M0-6L6 5H-6Z', className: 'fill-series-4' },
]

export const VARIANT_STROKES = ['stroke-series-1', 'stroke-series-2', 'stroke-series-3', 'stroke-series-4']

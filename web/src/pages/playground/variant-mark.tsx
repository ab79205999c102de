/** The marks of columns: baseline, candidate and two more; from the fifth on all are gray. Form and color, so that neither is needed alone. */
const marks = [
  {
    path: 'M0-5.5A5.5 5.5 0 1 1 0 5.5A5.5 5.5 0 1 1 0-5.5Z',
    fill: 'fill-series-1',
    top: 'border-t-series-1',
    left: 'max-sm:border-l-series-1',
    word: 'bg-series-1/15',
  },
  {
    path: 'M0-6.7L6.7 0L0 6.7L-6.7 0Z',
    fill: 'fill-series-2',
    top: 'border-t-series-2',
    left: 'max-sm:border-l-series-2',
    word: 'bg-series-2/15',
  },
  {
    path: 'M-5-5H5V5H-5Z',
    fill: 'fill-series-3',
    top: 'border-t-series-3',
    left: 'max-sm:border-l-series-3',
    word: 'bg-series-3/15',
  },
  {
    path: 'M0-6L6.2 5H-6.2Z',
    fill: 'fill-series-4',
    top: 'border-t-series-4',
    left: 'max-sm:border-l-series-4',
    word: 'bg-series-4/20',
  },
]
const gray = {
  path: 'M-5-2H5V2H-5Z',
  fill: 'fill-mark',
  top: 'border-t-mark',
  left: 'max-sm:border-l-mark',
  word: 'bg-mark/20',
}

/** The classes of the column at a place, from 0. */
export function variantLook(place: number) {
  return marks[place] ?? gray
}

export function VariantMark({ place }: { place: number }) {
  const { path, fill } = variantLook(place)
  return (
    <svg aria-hidden viewBox="-8 -8 16 16" className="inline-block size-3 shrink-0">
      <path d={path} className={fill} />
    </svg>
  )
}

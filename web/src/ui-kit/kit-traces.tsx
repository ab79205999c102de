import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { TinyHistogram } from '../ui/charts/histogram.tsx'
import type { DataColumn } from '../ui/data-table/data-column.ts'
import { Cost, Count, Duration } from '../ui/quantities.tsx'
import { DURATION_BINS } from './kit-estimates.ts'

export interface KitTrace {
  id: string
  time: string
  input: string
  output: string
  durationMs: number
  tokens: number
  dollars: number | null
  rating?: 'right' | 'wrong' | undefined
  hasError: boolean
}

const QUESTIONS = [
  [
    'Where is my order HP-204371? It said Tuesday.',
    'It left the Malmö warehouse this morning with DHL and arrives tomorrow.',
  ],
  [
    'I opened the Marlow topper and slept on it for 10 nights. Can I still send it back?',
    'You can: comfort products have a 30-night trial.',
  ],
  ['Do you ship the Alder bed frame to Northern Ireland?', 'Yes. The Alder ships to Northern Ireland in 6 to 9 days.'],
  ['my discount code PINE15 does not work', 'PINE15 ended on 8 November. I can’t reissue it.'],
] as const

/** Made of its index, so that every list is the same. */
export function kitTraces(count: number): KitTrace[] {
  return Array.from({ length: count }, (_, index) => {
    const [input, output] = QUESTIONS[index % QUESTIONS.length] ?? QUESTIONS[0]
    return {
      id: `trace-${index}`,
      time: `14:${String(59 - (index % 60)).padStart(2, '0')}:${String((index * 37) % 60).padStart(2, '0')}`,
      input,
      output,
      durationMs: 800 + ((index * 7919) % 9000),
      tokens: 4000 + ((index * 104_729) % 11_000),
      dollars: index % 7 === 3 ? null : 0.005 + ((index * 31) % 200) / 10_000,
      rating: index % 3 === 0 ? 'right' : index % 5 === 1 ? 'wrong' : undefined,
      hasError: index % 5 === 1,
    }
  })
}

export const KIT_COLUMNS: DataColumn<KitTrace>[] = [
  {
    id: 'time',
    title: 'Time',
    width: 104,
    isSortable: true,
    cell: (trace) => (
      <span className="flex items-center gap-2 text-soft tabular-nums">
        {trace.hasError ? (
          <TriangleAlert aria-label="failed" className="size-3.5 text-danger" />
        ) : (
          <span role="img" aria-label="ok" className="mx-1 size-1.5 rounded-full bg-good" />
        )}
        {trace.time}
      </span>
    ),
  },
  {
    id: 'text',
    title: 'Input → output',
    width: 220,
    grows: true,
    cell: (trace) => (
      <span className="block leading-[17px]">
        <span className="block truncate">{trace.input}</span>
        <span className="block truncate text-soft">
          <span className="font-semibold text-gold-ink">→</span> {trace.output}
        </span>
      </span>
    ),
  },
  {
    id: 'duration',
    title: 'Duration',
    width: 84,
    align: 'right',
    isSortable: true,
    note: <TinyHistogram label="Duration" bins={DURATION_BINS} />,
    cell: (trace) => <Duration ms={trace.durationMs} />,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 76,
    align: 'right',
    isSortable: true,
    cell: (trace) => <Count value={trace.tokens} />,
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 76,
    align: 'right',
    isSortable: true,
    cell: (trace) => <Cost dollars={trace.dollars} />,
  },
  { id: 'rating', title: 'Rating', width: 84, note: 'n 105', cell: (trace) => <Rating rating={trace.rating} /> },
]

function Rating({ rating }: { rating: KitTrace['rating'] }) {
  if (!rating) return <span className="text-faint">–</span>
  const Icon = rating === 'right' ? CircleCheck : CircleX
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon aria-hidden className={`size-3.5 ${rating === 'right' ? 'text-good' : 'text-danger'}`} />
      {rating}
    </span>
  )
}

/** The card of a trace on a phone. */
export function KitTraceCard({ trace }: { trace: KitTrace }) {
  return (
    <>
      <div className="flex items-center justify-between text-data text-soft">
        {KIT_COLUMNS[0]?.cell(trace)}
        {trace.rating && <Rating rating={trace.rating} />}
      </div>
      <p className="mt-0.5 line-clamp-2 text-body">{trace.input}</p>
      <p className="truncate text-data text-soft">
        <span className="font-semibold text-gold-ink">→</span> {trace.output}
      </p>
      <p className="mt-1 flex gap-3 text-meta text-faint">
        <Duration ms={trace.durationMs} />
        <Cost dollars={trace.dollars} />
      </p>
    </>
  )
}

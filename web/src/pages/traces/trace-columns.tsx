import { ArrowRight, TriangleAlert } from 'lucide-react'
import type { TraceRow } from '../../api/generated/api.ts'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { formatScore } from '../../ui/format-number.ts'
import { Cost, Count, Duration } from '../../ui/quantities.tsx'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

export const defaultColumns = ['time', 'content', 'duration', 'tokens', 'cost', 'rating', 'scores']

export const traceColumns: DataColumn<TraceRow>[] = [
  { id: 'time', title: 'Time', width: 150, isSortable: true, cell: (row) => <Time row={row} /> },
  { id: 'content', title: 'Input → output', width: 280, grows: true, cell: (row) => <Content row={row} /> },
  { id: 'name', title: 'Name', width: 160, cell: ({ name }) => name ?? 'unnamed' },
  { id: 'component', title: 'Component', width: 150, cell: ({ componentName }) => componentName ?? '–' },
  { id: 'model', title: 'Model', width: 150, cell: ({ models }) => models.join(', ') || '–' },
  { id: 'user', title: 'User', width: 120, cell: ({ userId }) => userId ?? '–' },
  { id: 'session', title: 'Session', width: 120, cell: ({ sessionId }) => sessionId ?? '–' },
  { id: 'environment', title: 'Environment', width: 120, cell: ({ environment }) => environment ?? '–' },
  { id: 'tags', title: 'Tags', width: 140, cell: ({ tags }) => tags.join(', ') || '–' },
  { id: 'spans', title: 'Spans', width: 80, align: 'right', cell: ({ spanCount }) => <Count value={spanCount} /> },
  {
    id: 'duration',
    title: 'Duration',
    width: 100,
    align: 'right',
    isSortable: true,
    cell: ({ durationMs }) => (durationMs === null ? 'no end' : <Duration ms={durationMs} />),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 90,
    align: 'right',
    isSortable: true,
    cell: ({ totalTokens }) => <Count value={totalTokens} />,
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 100,
    align: 'right',
    isSortable: true,
    cell: ({ totalCostUsd }) => <Cost dollars={totalCostUsd} />,
  },
  { id: 'rating', title: 'Rating', width: 110, cell: (row) => <Ratings row={row} /> },
  { id: 'scores', title: 'Scores', width: 160, cell: (row) => <Scores row={row} /> },
]

/** A row on a phone. */
export function TraceCard({ row }: { row: TraceRow }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center justify-between gap-3 text-meta text-soft">
        <Time row={row} />
        <span className="flex gap-3">
          {row.durationMs === null ? 'no end' : <Duration ms={row.durationMs} />}
          <Cost dollars={row.totalCostUsd} />
        </span>
      </span>
      <Content row={row} />
      <Ratings row={row} />
    </div>
  )
}

function Time({ row }: { row: TraceRow }) {
  const date = new Date(row.startTime)
  const isToday = date.toDateString() === new Date().toDateString()
  return (
    <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
      {row.status === 'error' ? (
        <TriangleAlert role="img" aria-label="failed" className="size-3.5 text-danger" />
      ) : (
        <span role="img" aria-label="ok" className="mx-1 size-1.5 rounded-full bg-good" />
      )}
      <time dateTime={row.startTime}>
        {isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`}
      </time>
    </span>
  )
}

function Content({ row }: { row: TraceRow }) {
  const { preview } = row
  return (
    <span className="flex min-w-0 flex-col leading-4.5">
      <span className="truncate">{preview?.input || row.name || 'no input'}</span>
      <span className="flex min-w-0 items-center gap-1.5 text-soft">
        <ArrowRight aria-hidden className="size-3 shrink-0 text-gold-ink" />
        <span className="truncate">{preview?.output || 'no output'}</span>
      </span>
    </span>
  )
}

/** The words of the scheme; several people may have said different ones. */
function Ratings({ row }: { row: TraceRow }) {
  const words = [...new Set(row.ratings?.map(({ rating }) => rating))]
  return <span className="truncate">{words.join(', ') || '–'}</span>
}

function Scores({ row }: { row: TraceRow }) {
  if (!row.scores?.length) return <span className="text-faint">–</span>
  const shown = row.scores.slice(0, 2)
  return (
    <span className="truncate tabular-nums">
      {shown
        .map(({ evaluator, score, label }) => `${evaluator} ${score === null ? label : formatScore(score)}`)
        .join(', ')}
      {row.scores.length > 2 && ` +${row.scores.length - 2}`}
    </span>
  )
}

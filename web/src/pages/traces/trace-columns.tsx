import { TriangleAlert } from 'lucide-react'
import type { TraceRow } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { checkboxWidth } from '../../ui/data-table/table-sizes.ts'
import { formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Cost, Count, Duration } from '../../ui/quantities.tsx'
import { AnswerLine } from '../../ui/question-and-answer.tsx'
import { RatingMark } from '../../ui/rating-mark.tsx'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** The columns that are shown by default, the most important first, if they have values and there is room for them. */
const defaultColumns: readonly { id: string; hasValue: (row: TraceRow) => boolean }[] = [
  { id: 'duration', hasValue: () => true },
  { id: 'component', hasValue: ({ componentName }) => componentName !== null },
  { id: 'model', hasValue: ({ models }) => models.length > 0 },
  { id: 'name', hasValue: ({ name }) => name !== null },
  { id: 'cost', hasValue: ({ totalTokens, totalCostUsd }) => totalTokens !== null || totalCostUsd !== null },
  { id: 'rating', hasValue: ({ ratings }) => (ratings?.length ?? 0) > 0 },
  { id: 'scores', hasValue: ({ scores }) => (scores?.length ?? 0) > 0 },
  { id: 'tokens', hasValue: ({ totalTokens }) => totalTokens !== null },
]

/** Pixels: what the question and the answer need to be read. */
const CONTENT_WIDTH = 288

/** In the order of the table. `rows` are those of the first page, so that no column appears while the user scrolls. */
export function fittingColumns(columns: readonly DataColumn<TraceRow>[], rows: readonly TraceRow[], width: number) {
  const widthOf = (id: string) => columns.find((column) => column.id === id)?.width ?? 0
  let left = width - checkboxWidth - widthOf('time') - CONTENT_WIDTH
  const shown = new Set(['time', 'content'])
  for (const { id, hasValue } of defaultColumns) {
    if (rows.length > 0 && !rows.some(hasValue)) continue
    left -= widthOf(id)
    if (left < 0) break
    shown.add(id)
  }
  return columns.map(({ id }) => id).filter((id) => shown.has(id))
}

export type Density = 'compact' | 'normal'

/** How a rating is shown. */
type LookOf = (rating: string) => RatingLook

/** In rows of 40 pixels the output is below the input, in rows of 32 pixels after it. Each evaluator can have a column. */
export function buildTraceColumns(density: Density, evaluators: string[], lookOf: LookOf): DataColumn<TraceRow>[] {
  return [
    { id: 'time', title: 'Time', width: 132, isSortable: true, cell: (row) => <Time row={row} /> },
    {
      id: 'content',
      title: 'Input → output',
      width: 240,
      grows: true,
      cell: (row) => <Content row={row} density={density} />,
    },
    ...otherColumns,
    { id: 'rating', title: 'Rating', width: 110, cell: (row) => <Ratings row={row} lookOf={lookOf} /> },
    { id: 'scores', title: 'Scores', width: 160, cell: (row) => <Scores row={row} /> },
    ...evaluators.map((evaluator) => ({
      id: scoreColumnId(evaluator),
      title: metricTitle(evaluator),
      width: 110,
      align: 'right' as const,
      cell: (row: TraceRow) => <EvaluatorScore row={row} evaluator={evaluator} />,
    })),
  ]
}

/** Ids are separated by commas in addresses, and names of evaluators may have some. */
function scoreColumnId(evaluator: string): string {
  return `score.${encodeURIComponent(evaluator)}`
}

const otherColumns: DataColumn<TraceRow>[] = [
  {
    id: 'arrival',
    title: 'Arrived',
    width: 132,
    isSortable: true,
    cell: ({ createdAt }) => <Moment time={createdAt} />,
  },
  { id: 'name', title: 'Name', width: 150, cell: ({ name }) => name ?? <None /> },
  { id: 'component', title: 'Component', width: 130, cell: ({ componentName }) => componentName ?? <None /> },
  { id: 'model', title: 'Model', width: 130, cell: ({ models }) => models.join(', ') || <None /> },
  { id: 'prompt', title: 'Prompt', width: 130, cell: ({ prompts }) => promptNames(prompts) || <None /> },
  { id: 'source', title: 'Source', width: 110, cell: ({ source }) => source },
  { id: 'user', title: 'User', width: 120, cell: ({ userId }) => userId ?? <None /> },
  { id: 'session', title: 'Session', width: 120, cell: ({ sessionId }) => sessionId ?? <None /> },
  { id: 'service', title: 'Service', width: 120, cell: ({ service }) => service ?? <None /> },
  { id: 'environment', title: 'Environment', width: 120, cell: ({ environment }) => environment ?? <None /> },
  { id: 'tags', title: 'Tags', width: 140, cell: ({ tags }) => tags.join(', ') || <None /> },
  { id: 'spans', title: 'Spans', width: 80, align: 'right', cell: ({ spanCount }) => <Count value={spanCount} /> },
  {
    id: 'errors',
    title: 'Failed spans',
    width: 105,
    align: 'right',
    cell: ({ errorCount }) => <Failed count={errorCount} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: 96,
    align: 'right',
    isSortable: true,
    cell: ({ durationMs }) => (durationMs === null ? 'no end' : <Duration ms={durationMs} />),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 84,
    align: 'right',
    isSortable: true,
    cell: ({ totalTokens }) => <Count value={totalTokens} />,
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 88,
    align: 'right',
    isSortable: true,
    cell: ({ totalCostUsd }) => <Cost dollars={totalCostUsd} />,
  },
]

/** Several labels may have served the same version. */
function promptNames(prompts: TraceRow['prompts']): string {
  return [...new Set(prompts.map(({ name }) => name))].join(', ')
}

/** A row on a phone. */
export function TraceCard({ row, lookOf }: { row: TraceRow; lookOf: LookOf }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center justify-between gap-3 text-meta text-soft">
        <Time row={row} />
        {row.ratings && row.ratings.length > 0 && <Ratings row={row} lookOf={lookOf} />}
      </span>
      <Content row={row} density="normal" />
      <span className="flex gap-3 text-meta text-soft">
        {row.durationMs === null ? 'no end' : <Duration ms={row.durationMs} />}
        <Cost dollars={row.totalCostUsd} />
        {row.scores && row.scores.length > 0 && (
          <span className="ml-auto flex min-w-0">
            <Scores row={row} />
          </span>
        )}
      </span>
    </div>
  )
}

/** With the day, unless it is today. */
export function formatTime(time: string): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? clock.format(date) : `${day.format(date)}, ${minutes.format(date)}`
}

function Moment({ time }: { time: string }) {
  return (
    <time dateTime={time} className="whitespace-nowrap tabular-nums">
      {formatTime(time)}
    </time>
  )
}

function Time({ row }: { row: TraceRow }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
      {row.status === 'error' ? (
        <TriangleAlert role="img" aria-label="failed" className="size-3.5 text-danger" />
      ) : (
        <span role="img" aria-label="ok" className="mx-1 size-1.5 rounded-full bg-good" />
      )}
      <Moment time={row.startTime} />
    </span>
  )
}

function Content({ row, density }: { row: TraceRow; density: Density }) {
  const { preview } = row
  const isCompact = density === 'compact'
  return (
    <span className={isCompact ? 'flex min-w-0 items-center gap-2' : 'flex min-w-0 flex-col leading-4.5'}>
      <span className={isCompact ? 'max-w-[55%] truncate' : 'truncate'}>
        {preview?.input || row.name || 'no input'}
      </span>
      <AnswerLine text={preview?.output || 'no output'} />
    </span>
  )
}

/** The words of the scheme; several people may have said different ones. */
function Ratings({ row, lookOf }: { row: TraceRow; lookOf: LookOf }) {
  const looks = [...new Set(row.ratings?.map(({ rating }) => rating))].map(lookOf)
  if (looks.length === 0) return <None />
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {looks.map(({ value, color }) => (
        <RatingMark key={value} color={color} />
      ))}
      <bdi className="truncate">{looks.map(({ label }) => label).join(', ')}</bdi>
    </span>
  )
}

/** The first score: its name may be cut, its number never. The others are in the title, and in columns of their own. */
function Scores({ row }: { row: TraceRow }) {
  const [first, ...others] = row.scores ?? []
  if (!first) return <None />
  const textOf = ({ score, label }: typeof first) => (score === null ? label : formatScore(score))
  const all = [first, ...others].map((one) => `${metricTitle(one.evaluator)} ${textOf(one)}`).join(', ')
  return (
    <span title={all} className="flex min-w-0 gap-1.5 tabular-nums">
      <span className="truncate">{metricTitle(first.evaluator)}</span>
      <span className="shrink-0">{textOf(first)}</span>
      {others.length > 0 && <span className="shrink-0 text-faint">+{others.length}</span>}
    </span>
  )
}

function EvaluatorScore({ row, evaluator }: { row: TraceRow; evaluator: string }) {
  const found = row.scores?.find((score) => score.evaluator === evaluator)
  if (!found) return <None />
  const text = found.score === null ? (found.label ?? 'no score') : formatScore(found.score)
  return (
    <span>
      {text}
      {found.passed === false && <span className="ml-1.5 text-danger">fail</span>}
    </span>
  )
}

function Failed({ count }: { count: number }) {
  return count === 0 ? <None /> : <span className="font-medium text-danger tabular-nums">{count}</span>
}

function None() {
  return <span className="text-faint">–</span>
}

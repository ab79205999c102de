import { TriangleAlert } from 'lucide-react'
import type { RunCase, RunCaseRow } from '../../api/generated/api.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { type FormatValue, formatInterval } from '../../ui/charts/estimate.ts'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { countOf, formatCost, formatDuration } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Cost, Duration } from '../../ui/quantities.tsx'
import { AnswerLine } from '../../ui/question-and-answer.tsx'
import { RatingMark } from '../../ui/rating-mark.tsx'
import { CaseScore } from './case-score.tsx'

type LookOf = (rating: string) => RatingLook

const EVALUATORS_SHOWN = 4
const EVALUATORS_WITH_PEEK = 1

interface CaseColumns {
  evaluators: string[]
  /** Ranges need more room than single values. */
  hasRepetitions: boolean
  lookOf: LookOf
}

/** Each evaluator has a column. A row with repetitions shows how their values spread. */
export function buildCaseColumns({ evaluators, hasRepetitions, lookOf }: CaseColumns): DataColumn<RunCaseRow>[] {
  return [
    { id: 'content', title: 'Input → output', width: 240, grows: true, cell: (row) => <Content row={row} /> },
    { id: 'expected', title: 'Expected', width: 160, cell: ({ expected }) => <Expected text={expected} /> },
    ...evaluators.map((evaluator) => ({
      id: `score.${evaluator}`,
      title: metricTitle(evaluator),
      width: 118,
      isSortable: true,
      cell: (row: RunCaseRow) => <CaseScore row={row} evaluator={evaluator} />,
    })),
    { id: 'ratings', title: 'Ratings', width: 120, cell: (row) => <Ratings row={row} lookOf={lookOf} /> },
    {
      id: 'duration',
      title: 'Duration',
      width: hasRepetitions ? 132 : 100,
      align: 'right',
      isSortable: true,
      cell: ({ cases }) => <Durations cases={cases} />,
    },
    {
      id: 'cost',
      title: 'Cost',
      width: hasRepetitions ? 148 : 92,
      align: 'right',
      isSortable: true,
      cell: ({ cases }) => <Costs cases={cases} />,
    },
  ]
}

interface ShownColumns {
  evaluators: string[]
  rows: RunCaseRow[]
  isPeekOpen: boolean
}

/** Columns in which no case has anything are hidden, and most of them while the panel is open. */
export function caseColumnIds({ evaluators, rows, isPeekOpen }: ShownColumns): string[] {
  const shown = evaluators.slice(0, isPeekOpen ? EVALUATORS_WITH_PEEK : EVALUATORS_SHOWN)
  const scores = shown.map((evaluator) => `score.${evaluator}`)
  const hasExpected = rows.some(({ expected }) => expected !== null)
  if (isPeekOpen) return ['content', ...scores, 'ratings']
  return ['content', ...(hasExpected ? ['expected'] : []), ...scores, 'ratings', 'duration', 'cost']
}

interface CaseCardProps {
  row: RunCaseRow
  evaluators: string[]
  lookOf: LookOf
  onOpen: (id: string) => void
}

/** A case on a phone. */
export function CaseCard({ row, evaluators, lookOf, onOpen }: CaseCardProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <button type="button" onClick={() => onOpen(row.id)} className="min-h-11 min-w-0 text-left">
        <Content row={row} />
      </button>
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-meta">
        {evaluators.slice(0, EVALUATORS_SHOWN).map((evaluator) => (
          <div key={evaluator} className="flex items-center gap-1.5">
            <dt className="text-faint">{metricTitle(evaluator)}</dt>
            <dd>
              <CaseScore row={row} evaluator={evaluator} />
            </dd>
          </div>
        ))}
      </dl>
      <span className="flex flex-wrap gap-x-4 text-meta text-soft">
        <Ratings row={row} lookOf={lookOf} />
        <Durations cases={row.cases} />
        <Costs cases={row.cases} />
      </span>
    </div>
  )
}

function Content({ row }: { row: RunCaseRow }) {
  const [first] = row.cases
  return (
    <span className="flex min-w-0 flex-col leading-4.5">
      <span className="flex min-w-0 items-center gap-1.5">
        {row.cases.some(({ status }) => status === 'error') && (
          <TriangleAlert role="img" aria-label="failed" className="size-3.5 shrink-0 text-danger" />
        )}
        <bdi className="truncate font-medium">{row.input || 'no input'}</bdi>
        {row.itemId === null && <Tag text="no item" />}
        {row.repetitions > 1 && <Tag text={countOf(row.repetitions, 'repetition')} />}
      </span>
      <AnswerLine text={outputText(first)} />
    </span>
  )
}

function outputText(first: RunCase | undefined): string {
  if (first?.traceDbId === null) return 'The trace has not arrived'
  return first?.output || 'no output'
}

function Tag({ text }: { text: string }) {
  return (
    <span className="shrink-0 rounded-[4px] border border-line px-1 text-[11px] leading-4 whitespace-nowrap text-soft">
      {text}
    </span>
  )
}

function Expected({ text }: { text: string | null }) {
  return text === null ? (
    <None />
  ) : (
    <bdi className="line-clamp-2 leading-4.5 whitespace-normal text-soft wrap-anywhere">{text}</bdi>
  )
}

/** The words of the scheme; several people, or the ratings of several repetitions, may differ. */
function Ratings({ row, lookOf }: { row: RunCaseRow; lookOf: LookOf }) {
  const ratings = row.cases.flatMap((one) => one.ratings.map(({ rating }) => rating))
  const looks = [...new Set(ratings)].map(lookOf)
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

function Durations({ cases }: { cases: RunCase[] }) {
  const known = cases.flatMap(({ durationMs }) => durationMs ?? [])
  const [first] = known
  if (first === undefined) return <None />
  if (known.length === 1) return <Duration ms={first} />
  return <Range values={known} format={formatDuration} />
}

function Costs({ cases }: { cases: RunCase[] }) {
  const arrived = cases.filter(({ traceDbId }) => traceDbId !== null)
  const known = arrived.flatMap(({ costUsd }) => costUsd ?? [])
  if (arrived.length === 0) return <None />
  if (known.length < 2) return <Cost dollars={known[0] ?? null} />
  return <Range values={known} format={formatCost} />
}

/** From the smallest to the largest value of the repetitions. */
function Range({ values, format }: { values: number[]; format: FormatValue }) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const text = format(low) === format(high) ? format(low) : formatInterval({ low, high }, format)
  return <span className="whitespace-nowrap tabular-nums">{text}</span>
}

function None() {
  return <span className="text-faint">–</span>
}

import { type ReactNode, useMemo } from 'react'
import type { EvaluationCase } from '../../api/generated/api.ts'
import type { DataColumn, Sort } from '../../ui/data-table/data-column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { QuestionAndAnswer } from '../../ui/question-and-answer.tsx'
import { settingsInWords } from '../../ui/setting-words.ts'
import { ScoreMark } from './case-score.tsx'

interface CaseTableProps {
  rows: EvaluationCase[]
  /** The metrics with a column each, the chosen one first. */
  metrics: string[]
  /** The chosen metric: its reasons are shown, and it can be sorted by. */
  metric: string | undefined
  totalCount: number | undefined
  sort: Sort | undefined
  onSortChange: (sort: Sort) => void
  activeId: string | undefined
  onActiveChange: (id: string) => void
  empty: ReactNode
  isLoading: boolean
  error: ReactNode
  hasMore: boolean
  isLoadingMore: boolean
  onLoadMore: () => void
}

const rowId = ({ id }: EvaluationCase) => id

/** The columns of metrics that have room next to the texts. */
const METRICS_MAX = 4

/** The cases of an evaluation: question and answer, what was expected, and the scores. */
export function CaseTable({ metrics, metric, ...table }: CaseTableProps) {
  const { activeId, onActiveChange } = table
  const names = metrics.join('\n')
  const columns = useMemo(() => columnsOf(names.split('\n'), metric), [names, metric])
  const isNarrowed = activeId !== undefined
  const shown = metrics.slice(0, isNarrowed ? 1 : METRICS_MAX).map(columnId)
  const columnIds = ['content', ...(isNarrowed ? [] : ['expected']), ...shown, ...(metric ? ['reason'] : [])]
  return (
    <DataTable
      {...table}
      label="Cases"
      columns={columns}
      columnIds={columnIds}
      rowId={rowId}
      onOpen={onActiveChange}
      density="normal"
      scroll="page"
      card={(row) => (
        <div className="flex min-w-0 flex-col gap-2">
          <Content row={row} onOpen={() => onActiveChange(row.id)} />
          <dl className="grid grid-cols-[fit-content(60%)_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-data">
            {(metric === undefined ? metrics : [metric]).map((name) => (
              <div key={name} className="contents">
                <dt className="text-soft wrap-anywhere">{metricTitle(name)}</dt>
                <dd className="min-w-0">
                  <Scores row={row} metric={name} />
                </dd>
              </div>
            ))}
          </dl>
          {metric !== undefined && <Reason row={row} metric={metric} />}
        </div>
      )}
    />
  )
}

function columnId(metric: string): string {
  return `metric ${metric}`
}

function columnsOf(metrics: string[], metric: string | undefined): DataColumn<EvaluationCase>[] {
  return [
    { id: 'content', title: 'Question → answer', width: 220, grows: true, cell: (row) => <Content row={row} /> },
    {
      id: 'expected',
      title: 'Expected',
      width: 160,
      grows: true,
      cell: ({ expected }) => (expected === null ? <em className="text-faint">none</em> : <Lines text={expected} />),
    },
    ...metrics.map((name) => ({
      id: columnId(name),
      title: metricTitle(name),
      width: 120,
      isSortable: name === metric,
      cell: (row: EvaluationCase) => <Scores row={row} metric={name} />,
    })),
    {
      id: 'reason',
      title: 'Reason',
      width: 220,
      grows: true,
      cell: (row) => <Reason row={row} metric={metric} />,
    },
  ]
}

function Reason({ row, metric }: { row: EvaluationCase; metric: string | undefined }) {
  const score = row.scores.find(({ evaluator }) => evaluator === metric)
  const text = score?.error ? settingsInWords(score.error) : score?.reason
  return text ? <Lines text={text} /> : <em className="text-faint">none</em>
}

function Lines({ text }: { text: string }) {
  return <span className="line-clamp-2 leading-4.5 wrap-anywhere whitespace-normal text-soft">{text}</span>
}

/** The score of one metric; of repetitions the first, and how many there are. */
function Scores({ row, metric }: { row: EvaluationCase; metric: string }) {
  const own = row.scores.filter(({ evaluator }) => evaluator === metric)
  const [first] = own
  if (!first) return <em className="text-faint">none</em>
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <ScoreMark score={first} />
      {own.length > 1 && <span className="text-meta text-faint">1 of {own.length}</span>}
    </span>
  )
}

function Content({ row, onOpen }: { row: EvaluationCase; onOpen?: () => void }) {
  return <QuestionAndAnswer question={row.input || 'no input'} answer={row.output || 'no output'} onOpen={onOpen} />
}

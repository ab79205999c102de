import { Link } from '@tanstack/react-router'
import { CircleHelp, Lock, LockOpen } from 'lucide-react'
import type { EvaluationSummary } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { formatCount, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Cost } from '../../ui/quantities.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { settingsInWords } from '../../ui/setting-words.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { metricEstimate } from '../components/overview-metrics.ts'
import { VerdictWord } from '../overview/verdict-words.tsx'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'

interface EvaluationTableProps {
  applicationId: string
  componentId: string
  rows: EvaluationSummary[]
}

const METRICS_MAX = 2

export function EvaluationTable({ applicationId, componentId, rows }: EvaluationTableProps) {
  const columns: Column<EvaluationSummary>[] = [
    {
      title: 'Evaluation',
      isRowHeader: true,
      cell: (row) => (
        <>
          <Link
            to={pagePaths.evaluation(applicationId, componentId, row.id)}
            className="touch-link font-medium underline-offset-4 hover:underline"
          >
            {evaluationTitle(row)}
          </Link>
          <span className="block text-meta text-soft">
            {row.dataset.name}
            {row.run && row.name?.trim() && ` · ${runTitle(row.run)}`}
          </span>
        </>
      ),
    },
    { title: 'Status', cell: (row) => <Status row={row} /> },
    { title: 'Metrics', cell: (row) => <Metrics row={row} /> },
    { title: 'Compared', cell: ({ comparison }) => <Compared comparison={comparison} /> },
    {
      title: 'Cost',
      align: 'right',
      cell: ({ spentUsd }) => <Cost dollars={spentUsd} />,
    },
    { title: 'When', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
  return <Table caption="Evaluations" columns={columns} rows={rows} rowKey={({ id }) => id} />
}

function Status({ row: { status, error, scores } }: { row: EvaluationSummary }) {
  const isOpen = status === 'pending' || status === 'running'
  const isCancelled = error === 'cancelled'
  return (
    <>
      <StatusBadge status={isCancelled ? 'canceled' : status} failedCount={scores.failed} />
      {isOpen && scores.total > 0 && (
        <span className="mt-0.5 block text-meta text-soft tabular-nums">
          {formatCount(scores.done)} of {formatCount(scores.total)} scored
          {scores.failed > 0 && `, ${formatCount(scores.failed)} failed`}
        </span>
      )}
      {error && !isCancelled && (
        <span className="mt-1 block max-w-md text-soft text-pretty wrap-anywhere">{settingsInWords(error)}</span>
      )}
    </>
  )
}

/** The main metric first, with its interval and n. */
function Metrics({ row: { metrics, headline } }: { row: EvaluationSummary }) {
  if (metrics.length === 0) return <span className="text-faint">none yet</span>
  const sorted = metrics.toSorted((a, b) => Number(b.name === headline) - Number(a.name === headline))
  const shown = sorted.slice(0, METRICS_MAX)
  return (
    <ul className="flex flex-col gap-1">
      {shown.map((metric) => (
        <li key={metric.name} className="flex flex-wrap items-center gap-x-3">
          <span className="min-w-24 wrap-anywhere">{metricTitle(metric.name)}</span>
          <IntervalMark
            estimate={metricEstimate(metric)}
            domain={[metric.scale?.[0] ?? metric.ci?.[0] ?? 0, metric.scale?.[1] ?? metric.ci?.[1] ?? 1]}
            format={formatMetric}
          />
        </li>
      ))}
      {sorted.length > shown.length && (
        <li className="text-meta text-faint">and {formatCount(sorted.length - shown.length)} more</li>
      )}
    </ul>
  )
}

function Compared({ comparison }: Pick<EvaluationSummary, 'comparison'>) {
  if (!comparison) return <span className="text-faint">not compared</span>
  const { gate, verdict, baseline } = comparison
  return (
    <>
      {gate && <GateWord {...gate} />}
      <VerdictWord verdict={verdict} />
      <span className="block text-meta text-soft wrap-anywhere">with {runTitle(baseline)}</span>
    </>
  )
}

function GateWord({ passed, summary }: { passed: boolean; summary: string }) {
  const isUndecided = !passed && summary.startsWith('Cannot decide')
  const [Icon, word, className] = passed
    ? ([LockOpen, 'Gate open', 'text-good'] as const)
    : isUndecided
      ? ([CircleHelp, 'Gate cannot decide', 'text-warn'] as const)
      : ([Lock, 'Gate shut', 'text-danger'] as const)
  return (
    <span className={`flex items-center gap-1.5 font-semibold ${className}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {word}
    </span>
  )
}

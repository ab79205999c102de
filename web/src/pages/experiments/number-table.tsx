import { Link } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { formatCost, formatCount, formatDifference, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ExperimentStatus } from './experiment-status.tsx'
import { type ExperimentRow, experimentTitle } from './experiment-words.ts'
import { verdictWord } from './verdict-cell.tsx'

interface NumberTableProps {
  applicationId: string
  componentId: string
  rows: ExperimentRow[]
}

/** The list as numbers, to read line by line or to copy. */
export function NumberTable({ applicationId, componentId, rows }: NumberTableProps) {
  const columns: Column<ExperimentRow>[] = [
    {
      title: 'Experiment',
      isRowHeader: true,
      cell: (row) => (
        <Link
          to={pagePaths.experiment(applicationId, componentId, row.id)}
          className="touch-link font-semibold underline-offset-4 hover:underline"
        >
          <bdi>{experimentTitle(row)}</bdi>
        </Link>
      ),
    },
    { title: 'State', cell: (row) => <ExperimentStatus experiment={row} /> },
    { title: 'Metric', cell: ({ metric }) => (metric === null ? 'the score' : metricTitle(metric)) },
    {
      title: 'Start, 95 % interval',
      cell: ({ validation }) =>
        validation?.start == null ? '–' : <Mean mean={validation.start} ci={validation.startCi} n={validation.items} />,
    },
    {
      title: 'Best, 95 % interval',
      cell: ({ validation }) =>
        validation?.best && validation.best.number > 0 ? (
          <Mean mean={validation.best.mean} ci={validation.best.ci} n={validation.items} />
        ) : (
          '–'
        ),
    },
    {
      title: 'Expected on new items',
      cell: ({ validation }) =>
        validation?.expectedOnNew ? formatDifference(validation.expectedOnNew.difference) : '–',
    },
    { title: 'Verdict', cell: (row) => verdictWord(row) },
    {
      title: 'Difference on the test',
      cell: ({ result }) =>
        result?.difference == null ? (
          '–'
        ) : (
          <span data-estimate="" className="whitespace-nowrap tabular-nums">
            <span data-mean="">{formatDifference(result.difference)}</span>{' '}
            {result.ci && `(${result.ci.map(formatDifference).join(' to ')})`}, n {formatCount(result.items)}
          </span>
        ),
    },
    {
      title: 'Spent',
      cell: ({ cost: { spentUsd, maxUsd } }) =>
        `${formatCost(spentUsd)}${maxUsd === null ? '' : ` of ${formatCost(maxUsd)}`}`,
    },
    { title: 'Started', cell: (row) => <RelativeTime time={row.startedAt ?? row.createdAt} /> },
  ]
  return <Table caption="Experiments in numbers" columns={columns} rows={rows} rowKey={({ id }) => id} />
}

function Mean({ mean, ci, n }: { mean: number; ci: readonly number[] | null; n: number }) {
  return (
    <span data-estimate="" className="whitespace-nowrap tabular-nums">
      <span data-mean="">{formatScore(mean)}</span> {ci && `(${ci.map(formatScore).join(' to ')})`}, n {formatCount(n)}
    </span>
  )
}

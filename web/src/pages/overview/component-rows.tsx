import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ComponentSummary } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { SparkBars } from '../../ui/charts/spark-bars.tsx'
import { countOf, formatCount, formatDuration } from '../../ui/format-number.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { Cost } from '../../ui/quantities.tsx'
import { sharedNames } from '../../ui/shared-names.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { describeCosts, errorEstimate, p95Estimate, percent } from './trace-estimates.ts'
import { VerdictCell } from './verdict-cell.tsx'

interface ComponentRowsProps {
  applicationId: string
  rows: ComponentSummary[]
  /** "7 days" */
  period: string
}

/** One line per component; cards where the screen is too narrow for a table. */
export function ComponentRows(props: ComponentRowsProps) {
  return useMediaQuery('(width < 78rem)') ? <Cards {...props} /> : <SummaryTable {...props} />
}

function SummaryTable({ applicationId, rows, period }: ComponentRowsProps) {
  const domain = errorDomain(rows)
  const shared = sharedNames(rows)
  const columns: Column<ComponentSummary>[] = [
    {
      title: 'Component',
      isRowHeader: true,
      cell: (row) => <Name applicationId={applicationId} row={row} isShared={shared.has(row.name)} />,
    },
    {
      title: 'Last verdict',
      cell: (row) => (
        <div className="w-52 wide:w-80">
          <VerdictCell {...row} />
        </div>
      ),
    },
    {
      title: `Traces, ${period}`,
      align: 'right',
      cell: ({ traces: { count, errors, series } }) => (
        <span className="inline-flex items-center gap-2.5 whitespace-nowrap">
          <span className="max-wide:hidden">
            <SparkBars summary={countOf(errors, 'error')} values={series} />
          </span>
          <span className="tabular-nums">{formatCount(count)}</span>
        </span>
      ),
    },
    {
      title: 'Error rate',
      cell: ({ traces }) => <ErrorRate traces={traces} domain={domain} />,
    },
    { title: 'p95', align: 'right', cell: ({ traces }) => <P95 traces={traces} /> },
    { title: `Cost, ${period}`, align: 'right', cell: ({ traces }) => <Costs traces={traces} /> },
    { title: 'Unrated', align: 'right', cell: (row) => <Unrated applicationId={applicationId} row={row} /> },
  ]
  return <Table caption="Components" columns={columns} rows={rows} rowKey={({ id }) => id} />
}

function Cards({ applicationId, rows, period }: ComponentRowsProps) {
  const domain = errorDomain(rows)
  const shared = sharedNames(rows)
  return (
    <ul className="divide-y divide-line rounded-card border border-line bg-surface text-data shadow-lift">
      {rows.map((row) => (
        <li key={row.id} className="flex flex-col gap-3 px-4 py-4">
          <Name applicationId={applicationId} row={row} isShared={shared.has(row.name)} />
          <VerdictCell {...row} />
          <dl className="grid grid-cols-2 gap-x-4 gap-y-3 md:grid-cols-4">
            <Fact title="Error rate">
              <ErrorRate traces={row.traces} domain={domain} />
            </Fact>
            <Fact title="p95">
              <P95 traces={row.traces} />
            </Fact>
            <Fact title={`Cost, ${period}`}>
              <Costs traces={row.traces} />
            </Fact>
            <Fact title="Unrated">
              <Unrated applicationId={applicationId} row={row} />
            </Fact>
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-meta text-faint">{title}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  )
}

interface NameProps {
  applicationId: string
  row: ComponentSummary
  /** Another component has the same name. */
  isShared: boolean
}

function Name({ applicationId, row: { id, name, description }, isShared }: NameProps) {
  return (
    <span className="flex max-w-64 min-w-36 flex-col wide:max-w-96">
      <Link
        to={pagePaths.component(applicationId, id)}
        className="truncate rounded-sm text-body font-semibold text-ink underline-offset-4 touch-link hover:underline"
      >
        {name}
      </Link>
      {description && <span className="line-clamp-1 text-meta font-normal text-soft">{description}</span>}
      {isShared && <IdLabel id={id} label={`Copy the id of ${name}`} />}
    </span>
  )
}

type Traces = ComponentSummary['traces']

/** Like `IntervalMark`, but with the glyphs of all rows at the same location. */
function ErrorRate({ traces, domain }: { traces: Traces; domain: readonly [number, number] }) {
  const estimate = errorEstimate(traces)
  if (!hasMean(estimate)) return <span className="text-faint">no traces</span>
  return (
    <span data-estimate className="inline-grid grid-cols-[2.9rem_64px] items-center whitespace-nowrap tabular-nums">
      <b data-mean className="font-semibold">
        {percent(estimate.mean)}
      </b>
      <IntervalGlyph marks={[{ series: 'plain', estimate }]} domain={domain} />
      <span className="col-span-2 text-meta text-soft">
        <span className="sr-only">95 % interval </span>
        {formatInterval(estimate, percent)} · n {formatCount(estimate.n)}
      </span>
    </span>
  )
}

function P95({ traces: { p95 } }: { traces: Traces }) {
  const estimate = p95Estimate({ p95 })
  if (p95.ms === null) return <span className="text-faint">no traces</span>
  return (
    <span className="inline-flex flex-col whitespace-nowrap tabular-nums">
      <b className="font-semibold">{formatDuration(p95.ms)}</b>
      <span className="text-meta text-soft">
        {hasMean(estimate) ? formatInterval(estimate, formatDuration) : `n ${formatCount(p95.n)}, no interval`}
      </span>
    </span>
  )
}

function Costs({ traces: { count, cost } }: { traces: Traces }) {
  if (count === 0) return <span className="text-faint">no traces</span>
  return (
    <span className="inline-flex flex-col whitespace-nowrap">
      <b className="font-semibold">
        <Cost dollars={cost.usd} />
      </b>
      <span className="text-meta text-soft">{describeCosts(cost)}</span>
    </span>
  )
}

function Unrated({ applicationId, row: { id, newestRun } }: { applicationId: string; row: ComponentSummary }) {
  if (!newestRun?.isToBeRated) {
    return (
      <span className="text-faint">
        <span aria-hidden>–</span>
        <span className="sr-only">no ratings asked for</span>
      </span>
    )
  }
  if (newestRun.unrated === 0) return <span className="text-soft tabular-nums">0</span>
  return (
    <Link
      to={pagePaths.annotate(applicationId, id, newestRun.id)}
      className="rounded-sm font-medium tabular-nums underline decoration-edge touch-link underline-offset-4"
    >
      {formatCount(newestRun.unrated)}
      <span className="sr-only"> unrated</span>
    </Link>
  )
}

/** One scale for all rows, so that they can be compared. */
function errorDomain(rows: ComponentSummary[]): readonly [number, number] {
  const highs = rows
    .map(({ traces }) => errorEstimate(traces))
    .flatMap((estimate) => (hasMean(estimate) ? estimate.high : []))
  return [0, Math.max(0.01, ...highs)]
}

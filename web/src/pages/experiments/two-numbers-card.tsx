import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { spendingQuery } from '../../api/spending-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf, formatCost } from '../../ui/format-number.ts'
import type { ExperimentRow } from './experiment-words.ts'

const DAYS = 30
const DAY_MS = 86_400_000

interface TwoNumbersCardProps {
  applicationId: string
  rows: readonly ExperimentRow[]
  /** Whether all rows are loaded. */
  isWhole: boolean
}

/** What the two numbers of a row mean, and what the experiments of a month have cost. */
export function TwoNumbersCard({ applicationId, rows, isWhole }: TwoNumbersCardProps) {
  const link = 'touch-link underline decoration-edge underline-offset-3 hover:text-ink'
  return (
    <section
      aria-labelledby="two-numbers"
      className="rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4"
    >
      <h2 id="two-numbers" className="text-body font-semibold">
        Why two numbers
      </h2>
      <p className="mt-1 max-w-[72ch] text-data text-soft">
        The best of many proposals looks better than it is, because the search chose it on these validation items.{' '}
        <b className="font-semibold text-ink">Expected on new items</b> removes that: it chooses on one half and
        measures on the other, 200 times, without a further call. The verdict comes from the sealed test items alone.{' '}
        <a href={pagePaths.guide('experiments')} className={link}>
          How it is computed
        </a>
      </p>
      <MonthText rows={rows} isWhole={isWhole} />
      <LimitText applicationId={applicationId} linkClass={link} />
    </section>
  )
}

function MonthText({ rows, isWhole }: Omit<TwoNumbersCardProps, 'applicationId'>) {
  const since = Date.now() - DAYS * DAY_MS
  const recent = rows.filter((row) => Date.parse(row.startedAt ?? row.createdAt) >= since)
  const spent = recent.reduce((sum, { cost }) => sum + cost.spentUsd, 0)
  const capped = recent.filter(({ cost }) => cost.maxUsd !== null)
  const allowed = capped.reduce((sum, { cost }) => sum + (cost.maxUsd ?? 0), 0)
  const isCut = !isWhole && recent.length === rows.length
  return (
    <p className="mt-2 max-w-[72ch] text-data text-soft tabular-nums">
      {isCut ? 'At least ' : ''}
      {countOf(recent.length, 'experiment')} in {DAYS} days {recent.length === 1 ? 'has' : 'have'} cost{' '}
      <b className="font-semibold text-ink">{formatCost(spent)}</b>
      {capped.length === recent.length && recent.length > 0 ? ` of ${formatCost(allowed)} allowed` : ''}
      {capped.length < recent.length ? `; ${countOf(recent.length - capped.length, 'one')} had no limit` : ''}.
    </p>
  )
}

/** The limit of the application is for all calls of models, also those of judges and trials. */
function LimitText({ applicationId, linkClass }: { applicationId: string; linkClass: string }) {
  const { data } = useQuery(spendingQuery(applicationId))
  if (!data) return null
  const { maxUsdPer30Days, last30Days } = data
  return (
    <p className="mt-1 max-w-[72ch] text-data text-soft tabular-nums">
      All calls of models of the application: {formatCost(last30Days.usd)}
      {maxUsdPer30Days === null ? ', without a limit' : ` of ${formatCost(maxUsdPer30Days)} allowed`}.{' '}
      <Link to={pagePaths.settings(applicationId, 'models')} className={linkClass}>
        Limits
      </Link>
    </p>
  )
}

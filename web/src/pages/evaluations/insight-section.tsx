import { Link } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { countOf } from '../../ui/format-number.ts'
import type { EvaluationResults, ResultInsight } from './evaluation-results.ts'

interface InsightSectionProps {
  applicationId: string
  results: EvaluationResults
}

/** The query language allows so many terms. */
const TRACES_LINKED_MAX = 50

/** What rules found in the traces, without a model, with links to these traces. */
export function InsightSection({ applicationId, results: { insights, meta } }: InsightSectionProps) {
  if (insights.length === 0) return null
  return (
    <section aria-labelledby="insights-title" className="min-w-0">
      <h2 id="insights-title" className="mb-3 font-display text-section font-semibold">
        Insights{' '}
        <span className="ml-2 font-sans text-data font-normal text-soft">
          {meta.totalRuns !== undefined && `from ${countOf(meta.totalRuns, 'trace')}, `}without a model
        </span>
      </h2>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {insights.map((insight) => (
          <Insight key={`${insight.type} ${insight.title}`} applicationId={applicationId} insight={insight} />
        ))}
      </ul>
    </section>
  )
}

function Insight({ applicationId, insight }: { applicationId: string; insight: ResultInsight }) {
  const { severity, title, description, suggestedFix, affectedRunIds, details } = insight
  const linked = affectedRunIds.slice(0, TRACES_LINKED_MAX)
  const affected = typeof details.affectedTraces === 'number' ? details.affectedTraces : affectedRunIds.length
  return (
    <li className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-4 px-5 py-3.5 text-data max-sm:grid-cols-1 max-sm:gap-y-1 max-sm:px-4">
      <span>
        <Badge tone={tones[severity] ?? 'neutral'}>{severity}</Badge>
      </span>
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{title}</p>
        <p className="text-soft wrap-anywhere">
          {description} {suggestedFix}{' '}
          {linked.length > 0 && (
            <Link
              to={pagePaths.traces(applicationId)}
              search={{ q: linked.map((id) => `id:"${id}"`).join(' OR ') }}
              className="touch-link text-ink underline underline-offset-3"
            >
              {linked.length < affected
                ? `${linked.length} of ${countOf(affected, 'trace')}`
                : countOf(affected, 'trace')}
              <span className="sr-only">: {title}</span>
            </Link>
          )}
        </p>
      </div>
    </li>
  )
}

const tones: Record<string, BadgeTone> = { critical: 'danger', high: 'danger', medium: 'warn', low: 'neutral' }

import { Link } from '@tanstack/react-router'
import type { Decision } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { VerdictWord } from '../overview/verdict-words.tsx'
import { authorName, DecisionLabel, runNames } from './decision-words.tsx'

interface DecisionCardProps {
  applicationId: string
  componentId: string
  decision: Decision
  /** Shown in the panel next to the list. */
  isOpen: boolean
}

const linkClass = 'rounded-sm underline decoration-edge underline-offset-4 touch-link hover:decoration-ink'

export function DecisionCard({ applicationId, componentId, decision, isOpen }: DecisionCardProps) {
  const { id, baseline, candidate, note, verdict, summary, createdAt, supersededBy, metric, margin, split } = decision
  const names = runNames(decision)
  // The page of comparisons reads and checks its own parameters.
  const compared: Record<string, string | undefined> = {
    base: baseline.runId,
    cand: candidate.runId,
    metric: metric ?? undefined,
    margin: margin === null ? undefined : String(margin),
    split: split ?? undefined,
  }
  return (
    <li
      className={`rounded-card border p-5 shadow-lift ${isOpen ? 'border-gold bg-selected' : 'border-line bg-surface'} ${supersededBy === null ? '' : 'text-soft'}`}
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-data">
        <DecisionLabel decision={decision.decision} />
        <span className="min-w-0 text-soft wrap-anywhere">
          · <SeriesIcon series="candidate" />
          <bdi>{names.candidate}</bdi> against <SeriesIcon series="baseline" />
          <bdi>{names.baseline}</bdi>
        </span>
        {supersededBy !== null && <span className="text-meta text-faint">· superseded by a later decision</span>}
      </p>
      <p className="mt-2 max-w-[90ch] wrap-anywhere">
        <VerdictWord verdict={verdict} /> <span className="text-soft">{withMetricTitles(summary)}</span>
      </p>
      {note !== '' && (
        <p className="mt-2 max-w-[72ch] border-l-2 border-line pl-3 whitespace-pre-wrap wrap-anywhere">{note}</p>
      )}
      <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-data">
        <span className="flex items-center gap-2 text-soft">
          <Avatar name={authorName(decision)} />
          <bdi>{authorName(decision)}</bdi> <RelativeTime time={createdAt} />
        </span>
        <span className="ml-auto flex flex-wrap gap-x-4">
          <Link
            to={pagePaths.decisions(applicationId, componentId)}
            search={{ decision: id }}
            resetScroll={false}
            aria-label={`Numbers of the decision on ${names.candidate}`}
            className={linkClass}
          >
            Numbers
          </Link>
          <Link
            to={pagePaths.compare(applicationId, componentId)}
            search={compared}
            aria-label={`Compare ${names.candidate} with ${names.baseline}`}
            className={linkClass}
          >
            Compare
          </Link>
        </span>
      </p>
    </li>
  )
}

import { Link } from '@tanstack/react-router'
import { ClipboardCheck, EyeOff, Split } from 'lucide-react'
import type { WorkRun } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { runTitle } from '../runs/run-title.ts'

interface WorkListProps {
  applicationId: string
  /** The most urgent first. */
  runs: WorkRun[]
}

export function WorkList({ applicationId, runs }: WorkListProps) {
  return (
    <ul aria-label="Runs" className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
      {runs.map((run, index) => (
        <WorkRow key={run.runId} applicationId={applicationId} run={run} isFirst={index === 0} />
      ))}
    </ul>
  )
}

function WorkRow({ applicationId, run, isFirst }: { applicationId: string; run: WorkRun; isFirst: boolean }) {
  const { componentId, componentName, datasetName, runId, runName, runCreatedAt, remaining } = run
  const title = runTitle({ name: runName, datasetName, createdAt: runCreatedAt })
  const componentPath = pagePaths.component(applicationId, componentId)
  const Icon = remaining > 0 ? ClipboardCheck : Split
  return (
    <li className="flex items-center gap-4 px-4 py-3 max-sm:flex-wrap max-sm:gap-y-2">
      <Icon aria-hidden className="size-4.5 shrink-0 text-gold-ink max-sm:hidden" />
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="font-medium break-words">
          {remaining > 0 ? `Rate ${countOf(remaining, 'answer')} of ${title}` : `Discuss ${title}`}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-data text-soft">
          <Link to={componentPath} className="touch-link rounded-sm underline-offset-3 hover:text-ink hover:underline">
            {componentName}
          </Link>
          {runName?.trim() && <span>{datasetName}</span>}
          <RelativeTime time={runCreatedAt} />
          {run.blind && (
            <span className="inline-flex items-center gap-1">
              <EyeOff aria-hidden className="size-3.5" />
              blind
            </span>
          )}
        </p>
        <p className="text-data text-soft">
          {describeRun(run)}{' '}
          {run.disagreements > 0 && (
            <Link
              to={pagePaths.run(applicationId, componentId, runId)}
              search={{ tab: 'agreement' }}
              className="rounded-sm underline underline-offset-3 hover:text-ink"
            >
              Ratings differ on {countOf(run.disagreements, 'trace')}
            </Link>
          )}
        </p>
      </div>
      <Progress run={run} />
      {remaining > 0 ? (
        <Link
          to={pagePaths.annotate(applicationId, componentId, runId)}
          aria-label={`Annotate ${title}`}
          className={`${buttonClass(isFirst ? 'primary' : 'secondary')} min-w-24 max-sm:ml-auto`}
        >
          {run.rated > 0 ? 'Continue' : 'Annotate'}
        </Link>
      ) : (
        <Link
          to={pagePaths.run(applicationId, componentId, runId)}
          search={{ tab: 'agreement' }}
          aria-label={`Discuss ${title}`}
          className={`${buttonClass(isFirst ? 'primary' : 'secondary')} min-w-24 max-sm:ml-auto`}
        >
          Discuss
        </Link>
      )}
    </li>
  )
}

function Progress({ run: { rated, total } }: { run: WorkRun }) {
  return (
    <div className="w-32 shrink-0 text-data text-soft tabular-nums max-sm:w-28">
      {formatCount(rated)} of {formatCount(total)}
      <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-gold" style={{ width: `${total === 0 ? 0 : (rated / total) * 100}%` }} />
      </div>
    </div>
  )
}

/** Why the run is in the list. */
function describeRun({ reason, ratersPerItem }: WorkRun): string {
  const people = `, ${countOf(ratersPerItem ?? 0, 'person', 'people')} per trace`
  return `${reasons[reason]}${ratersPerItem === null || reason === 'disagreements' ? '' : people}.`
}

const reasons: Record<WorkRun['reason'], string> = {
  started: 'You have begun',
  requested: 'Ratings are asked for',
  open: 'Others have rated',
  disagreements: 'Nothing is left for you to rate',
}

import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { componentOverviewQuery } from '../../api/overview-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatCount } from '../../ui/format-number.ts'

interface ComponentNavProps {
  applicationId: string
  componentId: string
}

/** The pages of a component, each with its own address. Decisions and trends are below the comparison, because they continue it. */
export function ComponentNav({ applicationId, componentId }: ComponentNavProps) {
  const { data } = useQuery(componentOverviewQuery(applicationId, componentId, '7d'))
  const part = (name: 'datasets' | 'runs' | 'evaluations') => pagePaths.componentPart(applicationId, componentId, name)
  const compare = pagePaths.compare(applicationId, componentId)
  const runs = part('runs')
  const trials = pagePaths.trials(applicationId, componentId)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const own = pagePaths.component(applicationId, componentId)
  const entries = [
    { title: 'Overview', to: own, count: undefined },
    { title: 'Traces', to: `${own}/traces`, count: undefined },
    { title: 'Prompts', to: pagePaths.prompts(applicationId, componentId), count: data?.counts.prompts },
    { title: 'Datasets', to: part('datasets'), count: data?.counts.datasets },
    { title: 'Runs', to: runs, count: data?.counts.runs },
    { title: 'Evaluations', to: part('evaluations'), count: data?.counts.evaluations },
    { title: 'Compare', to: compare, count: undefined },
    { title: 'Experiments', to: pagePaths.experiments(applicationId, componentId), count: data?.counts.experiments },
  ]
  // A trial fills runs, so its list is next to theirs.
  const inRuns = [
    { title: 'Runs', to: runs },
    { title: 'Trials', to: trials },
  ]
  const inComparison = [
    { title: 'Two runs', to: compare },
    { title: 'Decisions', to: pagePaths.decisions(applicationId, componentId) },
    { title: 'Trends', to: pagePaths.trends(applicationId, componentId) },
  ]
  return (
    <>
      <nav aria-label="Component" className="mb-5 border-b border-line">
        {/* A list that scrolls sideways on narrow screens; links in it can be reached by keyboard. */}
        <ul className="-mb-px flex gap-5 overflow-x-auto px-1">
          {entries.map(({ title, to, count }) => (
            <li key={title}>
              <Link
                to={to}
                activeOptions={{ exact: to !== compare, includeSearch: false }}
                {...(to === runs && path === trials && { 'aria-current': 'page' })}
                preload={title === 'Traces' ? false : 'intent'}
                className="flex min-h-9 items-center gap-2 border-b-2 border-transparent text-data font-medium whitespace-nowrap text-soft transition-colors hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-gold aria-[current=page]:text-ink touch:min-h-11 touch:min-w-11"
              >
                {title}
                {count !== undefined && (
                  <span className="text-meta font-normal text-faint tabular-nums">{formatCount(count)}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {(path === runs || path === trials) && <PartNav label="Runs and trials" entries={inRuns} />}
      {path.startsWith(compare) && <PartNav label="Compare" entries={inComparison} />}
    </>
  )
}

interface PartNavProps {
  label: string
  entries: { title: string; to: string }[]
}

/** The pages of one tab. */
function PartNav({ label, entries }: PartNavProps) {
  return (
    <nav aria-label={label} className="-mt-2 mb-5">
      <ul className="flex gap-1">
        {entries.map(({ title, to }) => (
          <li key={title}>
            <Link
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              className="flex min-h-8 items-center rounded-control px-2.5 text-data text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink touch:min-h-11"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

import { Link } from '@tanstack/react-router'
import type { VersionChange } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatMoment } from '../../ui/charts/time-buckets.ts'
import { runTitle } from '../runs/run-title.ts'
import { groupVersions } from './group-versions.ts'

interface VersionListProps {
  versions: VersionChange[]
  title: string
  ids: { applicationId: string; componentId: string }
}

const SHOWN = 8

/** The changes of the version in words, newest first, each with a link to its run. */
export function VersionList({ versions, title, ids: { applicationId, componentId } }: VersionListProps) {
  const steps = groupVersions(versions).toReversed()
  if (steps.length === 0) return null
  return (
    <section className="mt-4 border-t border-line pt-3">
      <h3 className="mb-1 text-meta font-medium text-faint">{title}</h3>
      <ul className="flex flex-col gap-1 text-data">
        {steps.slice(0, SHOWN).map(({ at, run, changes }) => (
          <li key={`${at} ${run?.id}`} className="flex min-w-0 flex-wrap gap-x-3">
            <time dateTime={at} className="text-faint tabular-nums">
              {formatMoment(Date.parse(at))}
            </time>
            {run && (
              <Link
                to={pagePaths.run(applicationId, componentId, run.id)}
                className="rounded-sm underline decoration-edge underline-offset-3 touch-link hover:decoration-ink"
              >
                {runTitle(run)}
              </Link>
            )}
            {changes.map(({ field, value, previous }) => (
              <span key={field} className="wrap-anywhere">
                <span className="text-faint">{field}</span> <bdi className="text-soft">{previous}</bdi> →{' '}
                <bdi className="font-medium">{value}</bdi>
              </span>
            ))}
          </li>
        ))}
      </ul>
      {steps.length > SHOWN && (
        <p className="mt-1 text-meta text-faint">
          The newest {SHOWN} of {steps.length} changes.
        </p>
      )}
    </section>
  )
}

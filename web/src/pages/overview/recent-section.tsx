import { Link } from '@tanstack/react-router'
import { Play, Scale } from 'lucide-react'
import type { ComponentSummary } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'

const SHOWN = 5

/** The newest run and evaluation of each component, newest first. */
export function RecentSection({ applicationId, rows }: { applicationId: string; rows: ComponentSummary[] }) {
  const entries = rows
    .flatMap(({ id, name, newestRun, newestEvaluation }) => [
      ...(newestRun ? [{ key: newestRun.id, id, name, at: newestRun.createdAt, run: newestRun }] : []),
      ...(newestEvaluation
        ? [{ key: newestEvaluation.id, id, name, at: newestEvaluation.createdAt, evaluation: newestEvaluation }]
        : []),
    ])
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, SHOWN)
  if (entries.length === 0) return <p className="text-data text-soft">No run and no evaluation yet.</p>
  return (
    <ol className="flex flex-col gap-4">
      {entries.map((entry) => (
        <li key={entry.key} className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2.5 text-data">
          <span className="grid size-[22px] place-items-center rounded-full border border-line bg-sunken text-faint">
            {'run' in entry ? <Play aria-hidden className="size-3" /> : <Scale aria-hidden className="size-3" />}
          </span>
          <div className="min-w-0">
            {'run' in entry ? (
              <p className="break-words">
                Run <b className="font-semibold">{runTitle(entry.run)}</b>, {countOf(entry.run.traceCount, 'trace')} of{' '}
                {entry.run.datasetName}
              </p>
            ) : (
              <p className="break-words">
                <b className="font-semibold">{evaluationTitle(entry.evaluation)}</b>{' '}
                <StatusBadge status={entry.evaluation.status} failedCount={entry.evaluation.scores.failed} />
              </p>
            )}
            <p className="text-meta text-faint">
              <Link
                to={pagePaths.component(applicationId, entry.id)}
                className="rounded-sm underline-offset-4 touch-link hover:underline"
              >
                {entry.name}
              </Link>{' '}
              · <RelativeTime time={entry.at} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

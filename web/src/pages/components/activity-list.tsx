import { Play, Scale } from 'lucide-react'
import type { Activity } from '../../api/generated/api.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'

/** What happened last in a component. */
export function ActivityList({ activity }: { activity: Activity[] }) {
  if (activity.length === 0) return <p className="text-data text-soft">Nothing has happened yet.</p>
  return (
    <ol className="flex flex-col gap-4 text-data">
      {activity.map((entry) => (
        <li
          key={`${entry.kind} ${entry.run?.id} ${entry.evaluation?.id} ${entry.user?.id}`}
          className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2.5"
        >
          <Icon entry={entry} />
          <div className="min-w-0">
            <p className="break-words">
              <Text entry={entry} />
            </p>
            <p className="text-meta text-faint">
              <RelativeTime time={entry.at} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

function Icon({ entry: { kind, user } }: { entry: Activity }) {
  if (user) return <Avatar name={user.name} />
  return (
    <span className="grid size-[22px] place-items-center rounded-full border border-line bg-sunken text-faint">
      {kind === 'evaluation' ? <Scale aria-hidden className="size-3" /> : <Play aria-hidden className="size-3" />}
    </span>
  )
}

function Text({ entry: { evaluation, user, run, count } }: { entry: Activity }) {
  if (evaluation) {
    return (
      <>
        <b className="font-semibold">{evaluationTitle(evaluation)}</b>{' '}
        <StatusBadge status={evaluation.status} failedCount={evaluation.scores.failed} />
      </>
    )
  }
  const title = run ? runTitle(run) : 'a deleted run'
  if (user) {
    return (
      <>
        <b className="font-semibold">{user.name}</b> rated {count ?? 0} of {run?.traceCount ?? 0} in {title}
      </>
    )
  }
  return (
    <>
      Run <b className="font-semibold">{title}</b> was created{run && `, ${countOf(run.traceCount, 'trace')}`}
    </>
  )
}

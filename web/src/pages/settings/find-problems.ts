import type { InstanceHealth, WorkspaceUsage } from '../../api/generated/api.ts'
import { formatCount, formatDuration, formatPercent } from '../../ui/format-number.ts'
import { jobKindOf } from './job-kinds.ts'

export interface Problem {
  title: string
  /** What to do about it. */
  remedy: string
}

const WAITING_MAX_MS = 5 * 60_000
const BUSY_SHARE_MAX = 0.9

/** What is wrong, the most urgent first, in words for an admin who does not know the program. */
export function findProblems(health: InstanceHealth, usage: WorkspaceUsage | undefined): Problem[] {
  return [...workerProblems(health), ...jobProblems(health), ...loadProblems(health), ...quotaProblems(usage)]
}

function workerProblems({ installation }: InstanceHealth): Problem[] {
  if (installation?.process.worker !== 'stalled') return []
  return [
    {
      title: 'The server does not look for jobs.',
      remedy: 'Evaluations and deletions wait. Look for errors in the log of the server, then restart it.',
    },
  ]
}

function jobProblems({ jobs, checkedAt, installation }: InstanceHealth): Problem[] {
  const waitedMs = (oldestAt: string) => Date.parse(checkedAt) - Date.parse(oldestAt)
  return jobs.flatMap(({ kind, state, count, oldestAt }) => {
    const { title, onFailure } = jobKindOf(kind)
    if (state === 'failed')
      return [{ title: `${title}: ${formatCount(count)} failed after all retries.`, remedy: onFailure }]
    if (state === 'queued' && waitedMs(oldestAt) > WAITING_MAX_MS) {
      const waited = formatDuration(waitedMs(oldestAt))
      return [{ title: `${title}: the oldest job has waited ${waited}.`, remedy: waitingRemedy(installation) }]
    }
    return []
  })
}

function waitingRemedy(installation: InstanceHealth['installation']): string {
  if (installation?.process.worker === 'none')
    return 'This server runs no jobs. Check that a worker (command “work”) runs on the same database.'
  return 'Other jobs may be ahead of it. If this lasts, start another worker (command “work”) on the same database.'
}

function loadProblems({ installation }: InstanceHealth): Problem[] {
  if (!installation || installation.process.eventLoopUtilization <= BUSY_SHARE_MAX) return []
  const { eventLoopUtilization, windowSeconds } = installation.process
  return [
    {
      title: `The server was busy ${formatPercent(eventLoopUtilization)} of the last ${windowSeconds} seconds.`,
      remedy:
        'Requests are slow. Run jobs in a process of their own: one with “serve --no-worker”, another with “work”.',
    },
  ]
}

function quotaProblems(usage: WorkspaceUsage | undefined): Problem[] {
  if (!usage) return []
  const { spansToday, evaluationsToday, storedBytes } = usage
  return [
    {
      quota: storedBytes,
      title: 'The quota of stored bytes is used up; new spans are rejected.',
      remedy: 'Shorten the retention or delete traces. The operator can raise TOUCHSTONE_QUOTA_STORED_BYTES.',
    },
    {
      quota: spansToday,
      title: 'The quota of spans for today is used up; new spans are rejected.',
      remedy: 'Wait until 00:00 UTC, or send a sample. The operator can raise TOUCHSTONE_QUOTA_SPANS_PER_DAY.',
    },
    {
      quota: evaluationsToday,
      title: 'The quota of evaluations for today is used up.',
      remedy: 'Wait until 00:00 UTC. The operator can raise TOUCHSTONE_QUOTA_EVALUATIONS_PER_DAY.',
    },
  ].filter(({ quota: { used, limit } }) => limit !== null && used >= limit)
}

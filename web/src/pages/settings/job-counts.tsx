import type { InstanceHealth } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Count } from '../../ui/quantities.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { jobKindOf } from './job-kinds.ts'

type JobCount = InstanceHealth['jobs'][number]

/** Jobs that wait, run or failed. Finished ones are not stored. */
export function JobCounts({ health: { jobs, scope } }: { health: InstanceHealth }) {
  return (
    <section aria-label="Jobs">
      <h2 className="mb-1 text-reading font-semibold">Jobs</h2>
      <p className="mb-3 text-data text-soft">
        {scope === 'installation' ? 'Of all applications of this server.' : 'Of this application.'}
        {jobs.length === 0 && ' None waits, runs or failed.'}
      </p>
      {jobs.length > 0 && (
        <Table
          caption="Jobs by kind and state"
          columns={columns}
          rows={jobs}
          rowKey={({ kind, state }) => `${kind} ${state}`}
        />
      )}
    </section>
  )
}

const tones = { queued: 'neutral', running: 'info', failed: 'danger' } as const

const columns: Column<JobCount>[] = [
  {
    title: 'Kind',
    isRowHeader: true,
    cell: ({ kind }) => <span className="font-medium">{jobKindOf(kind).title}</span>,
  },
  { title: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  { title: 'Count', align: 'right', cell: ({ count }) => <Count value={count} /> },
  { title: 'Oldest', cell: ({ oldestAt }) => <RelativeTime time={oldestAt} /> },
]

import type { ReactNode } from 'react'
import type { InstallationHealth, InstanceHealth, WorkspaceUsage } from '../../api/generated/api.ts'
import { countOf, formatBytes, formatCount, formatPercent } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

export function ArrivalFacts({ health, usage }: { health: InstanceHealth; usage: WorkspaceUsage | undefined }) {
  const { traces, windowSeconds, spansToday, storedBytes } = health.ingest
  return (
    <Facts title="This application">
      <Fact
        name={`Traces, last ${windowSeconds / 60} minutes`}
        note={traces === 0 ? 'none arrived' : perMinute(traces, windowSeconds)}
      >
        {traces >= ARRIVALS_MAX ? `${formatCount(traces)} or more` : formatCount(traces)}
      </Fact>
      <Fact name="Spans today (UTC)" note={quotaOf(usage?.spansToday.limit, formatCount)}>
        {formatCount(spansToday)}
      </Fact>
      <Fact name="Stored spans" note={quotaOf(usage?.storedBytes.limit, formatBytes)}>
        {formatBytes(storedBytes)}
      </Fact>
      {usage && (
        <Fact name="Evaluations today (UTC)" note={quotaOf(usage.evaluationsToday.limit, formatCount)}>
          {formatCount(usage.evaluationsToday.used)}
        </Fact>
      )}
    </Facts>
  )
}

export function InstallationFacts({ installation }: { installation: InstallationHealth }) {
  const { databaseBytes, searchIndex, process } = installation
  return (
    <Facts title="This server">
      <Fact name="Database" note="on disk, of all applications">
        {formatBytes(databaseBytes)}
      </Fact>
      <Fact name="Search index" note={indexNoteOf(searchIndex)}>
        {indexWords[searchIndex.state]}
      </Fact>
      <Fact name="Jobs" note={workerNotes[process.worker]}>
        {workerWords[process.worker]}
      </Fact>
      <Fact name="Load" note={`busy, last ${countOf(process.windowSeconds, 'second')}`}>
        {formatPercent(process.eventLoopUtilization)}
      </Fact>
      <Fact name="Memory" note="of the server process">
        {formatBytes(process.memoryBytes)}
      </Fact>
      <Fact name="Started">
        <RelativeTime time={process.startedAt} />
      </Fact>
    </Facts>
  )
}

export function VersionFacts({ health: { version, installation } }: { health: InstanceHealth }) {
  return (
    <Facts title="Versions">
      <Fact name="Touchstone">{version}</Fact>
      {installation && (
        <>
          <Fact name="Database">{`${installation.engine} ${installation.engineVersion}`}</Fact>
          <Fact name="Node.js">{installation.process.nodeVersion}</Fact>
        </>
      )}
    </Facts>
  )
}

/** The server counts no further. */
const ARRIVALS_MAX = 10_000

function perMinute(traces: number, windowSeconds: number): string {
  const rate = (traces * 60) / windowSeconds
  return `${rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate))} a minute`
}

function quotaOf(limit: number | null | undefined, format: (value: number) => string): string | undefined {
  if (limit === undefined) return undefined
  return limit === null ? 'no quota' : `of ${format(limit)}`
}

const indexWords = { none: 'Not built', building: 'Catching up', ready: 'Up to date' }

function indexNoteOf({ state, bytes, spansBehind }: InstallationHealth['searchIndex']): string {
  if (state === 'none') return 'built with the first search; until then, searches are slow'
  if (state === 'ready') return bytes === null ? '' : formatBytes(bytes)
  return spansBehind === null
    ? 'searches are slower until then'
    : `${countOf(spansBehind, 'span')} to go; searches are slower`
}

const workerWords = { running: 'Running', stalled: 'Stalled', none: 'Elsewhere' }
const workerNotes = {
  running: 'in this process',
  stalled: 'no jobs are picked up',
  none: 'this process runs none',
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-3 text-reading font-semibold">{title}</h2>
      <dl className="grid grid-cols-2 overflow-hidden rounded-card border border-line bg-surface shadow-lift sm:grid-cols-3 sm:has-[>:nth-child(4):last-child]:grid-cols-4">
        {children}
      </dl>
    </section>
  )
}

function Fact({ name, note, children }: { name: string; note?: string | undefined; children: ReactNode }) {
  return (
    <div className="-mt-px -ml-px border-t border-l border-line px-4 py-3">
      <dt className="text-meta text-faint">{name}</dt>
      <dd className="tabular-nums">
        <span className="text-reading font-medium">{children}</span>
        {note && <span className="block text-meta text-soft">{note}</span>}
      </dd>
    </div>
  )
}

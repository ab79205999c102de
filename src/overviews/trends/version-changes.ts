/** When the version of a component changed: what its runs say about themselves, and what the services that sent traces do. */
import { timestamp } from '../../base/clock.ts'
import type { RunWithMetadata } from '../overview-queries.ts'

/** The fields of the metadata of a run that say what was run. */
const VERSION_FIELDS = ['model', 'prompt', 'commit', 'version']
const SERVICE_VERSION = 'service.version'

type VersionChange = {
  kind: 'run' | 'service'
  at: string
  field: string
  value: string
  previous: string
  run: Omit<RunWithMetadata, 'metadata'> | null
}

/** Expects the newest run first. Runs without metadata say nothing: they are skipped. */
export function runChanges(runs: readonly RunWithMetadata[], before: RunWithMetadata | undefined): VersionChange[] {
  const changes: VersionChange[] = []
  const known = new Map(Object.entries(metadataOf(before)))
  for (const run of runs.toReversed()) {
    const { metadata: _, ...shown } = run
    for (const field of VERSION_FIELDS) {
      const value = metadataOf(run)[field]
      if (value === undefined) continue
      const previous = known.get(field)
      known.set(field, value)
      if (previous === undefined || previous === value) continue
      changes.push({ kind: 'run', at: run.createdAt, field, value, previous, run: shown })
    }
  }
  return changes
}

function metadataOf(run: RunWithMetadata | undefined): Record<string, string> {
  const metadata: Record<string, unknown> = JSON.parse(run?.metadata ?? '{}')
  return Object.fromEntries(
    VERSION_FIELDS.flatMap((field) => (metadata[field] === undefined ? [] : [[field, String(metadata[field])]])),
  )
}

/** The first trace of each version, except for the version that the period begins with. */
export function serviceChanges(
  traces: readonly { startMs: number; resourceScopeHash: string }[],
  resourceScopes: readonly { hash: string; resource: string }[],
): VersionChange[] {
  const versionOf = new Map(resourceScopes.map(({ hash, resource }) => [hash, readVersion(resource)]))
  const seen = new Set<string>()
  const changes: VersionChange[] = []
  let previous: string | undefined
  for (const { startMs, resourceScopeHash } of traces.toSorted((a, b) => a.startMs - b.startMs)) {
    const value = versionOf.get(resourceScopeHash)
    if (value === undefined) continue
    if (previous !== undefined && !seen.has(value)) {
      changes.push({ kind: 'service', at: timestamp(startMs), field: SERVICE_VERSION, value, previous, run: null })
    }
    seen.add(value)
    previous = value
  }
  return changes
}

function readVersion(resource: string): string | undefined {
  const version: unknown = Object(JSON.parse(resource))[SERVICE_VERSION]
  return typeof version === 'string' && version !== '' ? version : undefined
}

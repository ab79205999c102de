import type { VersionChange } from '../../api/generated/api.ts'

/** The changes that came with the same run, or with the same deployment. */
export interface VersionStep {
  at: string
  run: VersionChange['run']
  /** The first one says most. */
  changes: [VersionChange, ...VersionChange[]]
}

const order = ['prompt', 'version', 'service.version', 'model', 'commit']

/** Oldest first. */
export function groupVersions(versions: readonly VersionChange[]): VersionStep[] {
  const groups = Map.groupBy(versions, ({ at, run }) => `${at} ${run?.id ?? ''}`)
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
    return first ? { at: first.at, run: first.run, changes: [first, ...others] } : []
  })
}

/** "prompt v6 → v7, commit a81c2e0 → 77be103" */
export function describeStep({ changes }: VersionStep): string {
  return changes.map(({ field, previous, value }) => `${field} ${previous} → ${value}`).join(', ')
}

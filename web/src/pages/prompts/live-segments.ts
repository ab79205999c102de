import type { PromptLivePeriod } from '../../api/generated/api.ts'

/** The time in which a label served mostly one version. */
export interface LiveSegment {
  version: number
  fromMs: number
  toMs: number
  isNow: boolean
}

/** The time in which a label gave another version a share. */
interface LiveShare extends LiveSegment {
  weight: number
}

export interface LiveRow {
  label: string
  segments: LiveSegment[]
  shares: LiveShare[]
}

/** What the labels served, from the oldest to the newest; production first. */
export function liveRows(periods: readonly PromptLivePeriod[], fromMs: number, nowMs: number): LiveRow[] {
  const byLabel = Map.groupBy(
    periods.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since)),
    ({ label }) => label,
  )
  const rows = [...byLabel].map(([label, own]) => {
    const segments: LiveSegment[] = []
    const shares: LiveShare[] = []
    for (const { splits, since, until } of own) {
      const time = {
        fromMs: Math.max(fromMs, Date.parse(since)),
        toMs: until === null ? nowMs : Date.parse(until),
        isNow: until === null,
      }
      const [main, ...rest] = splits.toSorted((a, b) => b.weight - a.weight)
      if (!main) continue
      shares.push(...rest.filter(({ weight }) => weight > 0).map((split) => ({ ...split, ...time })))
      const last = segments.at(-1)
      // A canary does not interrupt what most users get.
      if (last?.version === main.version && last.toMs >= time.fromMs) Object.assign(last, time, { fromMs: last.fromMs })
      else segments.push({ version: main.version, ...time })
    }
    return { label, segments, shares }
  })
  return rows.sort(
    (a, b) => Number(b.label === 'production') - Number(a.label === 'production') || a.label.localeCompare(b.label),
  )
}

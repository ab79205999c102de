import type { PromptSplit } from '../../api/generated/api.ts'
import { type Series, SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatPercent } from '../../ui/format-number.ts'

interface VersionMarkProps {
  version: number
  /** Its mark in the charts of the page: the baseline is a circle, the candidate a diamond. */
  series?: Series | undefined
}

export function VersionMark({ version, series }: VersionMarkProps) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {series && <SeriesIcon series={series} />}v{version}
    </span>
  )
}

/** "v11", "v11 90 %, v12 10 %", or "nothing". */
export function splitsText(splits: readonly PromptSplit[] | null): string {
  if (!splits || splits.length === 0) return 'nothing'
  return splits
    .map(({ version, weight }) => (weight === 100 ? `v${version}` : `v${version} ${formatPercent(weight / 100)}`))
    .join(', ')
}

import type { PromptVersionSummary } from '../../api/generated/api.ts'
import { formatPercent } from '../../ui/format-number.ts'
import { formatTime } from '../runs/run-title.ts'

/** When a version was live: by production, or else by the label that served it last. */
export function liveText(live: PromptVersionSummary['live']): string {
  const ofProduction = live.filter(({ label }) => label === 'production')
  const shown = ofProduction.length > 0 ? ofProduction : live
  const newest = shown[0]
  if (!newest) return 'not served'
  const { label, weight, since, until } = newest
  const what = label === 'production' ? 'live' : label
  const share = weight === 100 ? what : `${formatPercent(weight / 100)} of ${label}`
  return until === null ? `${share} since ${formatTime(since)}` : `${share} until ${formatTime(until)}`
}

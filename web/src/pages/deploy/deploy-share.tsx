import { Ruler } from 'lucide-react'
import type { DeploymentCheck, PromptSplit } from '../../api/generated/api.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { countOf, formatCount, formatPercent } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { changeFormat, changeOf } from '../compare/metric-change.ts'
import { VersionMark } from '../prompts/version-mark.tsx'
import { DeploySection } from './deploy-section.tsx'
import { asMetric } from './evidence-metric.ts'

interface DeployShareProps {
  version: number
  /** What the label would serve. */
  splits: readonly PromptSplit[]
  share: number
  range: { min: number; max: number }
  check: DeploymentCheck
  /** The numbers of the check are of this share. */
  isSettled: boolean
  seriesOf: (version: number) => Series | undefined
  onChoose: (share: number) => void
}

const PRESETS = [
  { value: '10', label: 'Canary' },
  { value: '50', label: 'Half' },
  { value: '100', label: 'All' },
] as const

/** How many users get the version, and what that can show. */
export function DeployShare({ version, splits, share, range, check, isSettled, seriesOf, onChoose }: DeployShareProps) {
  const { min, max } = range
  const perDay = check.traffic.tracesPerDay
  const presets = PRESETS.filter(({ value }) => Number(value) >= min && Number(value) <= max)
  const shown = [...splits].sort((a, b) => Number(b.version === version) - Number(a.version === version))
  return (
    <DeploySection
      title={`Who gets v${version}`}
      action={
        presets.length > 1 && (
          <Segmented<string>
            label={`Share of v${version}`}
            value={String(share)}
            options={presets}
            onChange={(value) => onChoose(Number(value))}
          />
        )
      }
    >
      {min < max && (
        <div className="flex items-center gap-5">
          <input
            type="range"
            aria-label={`Share of v${version} in percent`}
            min={min}
            max={max}
            value={share}
            onChange={(event) => onChoose(Number(event.target.value))}
            className="min-h-8 min-w-0 flex-1 cursor-pointer accent-action touch:min-h-11"
          />
          <output className="w-16 text-right font-display text-section font-semibold tabular-nums">
            {formatPercent(share / 100)}
          </output>
        </div>
      )}
      <div aria-hidden className="mt-1 flex h-2.5 gap-0.5">
        {shown.map((split) => (
          <span
            key={split.version}
            style={{ flexGrow: split.weight }}
            className={`min-w-1 basis-0 rounded-[2px] ${colorOf(seriesOf(split.version))}`}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap justify-between gap-x-6 gap-y-1 text-data text-soft">
        {shown.map((split) => (
          <li key={split.version}>
            <VersionMark version={split.version} series={seriesOf(split.version)} />
            {perDay === null
              ? ` ${formatPercent(split.weight / 100)}`
              : `, about ${dailyText((perDay * split.weight) / 100)} a day`}
          </li>
        ))}
      </ul>
      <p aria-busy={!isSettled} className={`mt-3 flex gap-2.5 text-data text-soft ${isSettled ? '' : 'opacity-50'}`}>
        <Ruler aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
        <span className="text-pretty">
          {expectedText(check)} {powerText(check, version)}{' '}
          {share < 100 && 'One user or session always gets the same version.'}
        </span>
      </p>
    </DeploySection>
  )
}

/** What was measured before, and how much of a loss the label allows: what the traces are to be held against. */
function expectedText({ verdict, needsVerdict }: DeploymentCheck): string {
  if (!verdict || !needsVerdict) return ''
  const { value, ci } = changeOf(verdict)
  const [low, high] = ci ?? []
  if (value === null || low === undefined || high === undefined) return ''
  const format = changeFormat(asMetric(verdict))
  const confidence = formatPercent(verdict.confidence ?? 0.95)
  return `Expected on ${metricTitle(verdict.metric)}: ${format(value)} (${confidence} CI ${formatInterval({ low, high }, format)}); the margin is ${verdict.margin}.`
}

/** What this share can show, and when. Without a gate, or before the versions were compared, nothing is known of that. */
function powerText({ share, gate, weight, traffic }: DeploymentCheck, version: number): string {
  if (share === null) return weight === 0 ? '' : traffic.summary
  const at = `At ${formatPercent(weight / 100)}`
  if (gate === null) return `${at}, v${version} gets about ${dailyText(share.tracesPerDay)} a day.`
  if (share.detectable.length === 0) return `${at}, what the traces will show is known once the versions were compared.`
  const metric = metricTitle(gate.metric)
  const when = share.daysForMargin === null ? 'not within a year' : daysText(share.daysForMargin)
  const [soon] = share.detectable.filter(({ days }) => days === 7)
  const rest =
    soon && (share.daysForMargin === null || share.daysForMargin > 7)
      ? `; within 7 days only one of ${soon.difference.toFixed(2)}`
      : ''
  return `${at}, a loss of ${gate.margin} on ${metric} shows ${when} if all traces of v${version} are scored${rest}.`
}

function daysText(days: number): string {
  return days === 1 ? 'within a day' : `after about ${formatCount(days)} days`
}

/** Two digits are enough of what is about so many. */
function dailyText(count: number): string {
  if (count < 1) return `${count === 0 ? 0 : Number(count.toPrecision(1))} traces`
  return countOf(Math.round(Number(count.toPrecision(3))), 'trace')
}

function colorOf(series: Series | undefined): string {
  return series === 'candidate' ? 'bg-series-2' : series === 'baseline' ? 'bg-series-1' : 'bg-mark'
}

import type { EvaluationEstimate } from '../../api/generated/api.ts'
import { formatCount, formatPercent } from '../../ui/format-number.ts'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { withProperty } from '../../ui/schema-form/json-value.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { isRatioMargin } from '../compare/metric-change.ts'
import type { Gate } from './evaluation-draft.ts'
import { differenceAxis, GatePlot, ratioAxis } from './gate-plot.tsx'

export type GateMetric = { name: string; label: string } & (
  | { kind: 'difference' /** The length of its scale. */; length: number }
  /** Durations, costs and tokens: a margin is a factor such as 1.1. */
  | { kind: 'ratio' }
)

interface GatePartProps {
  gate: Gate | undefined
  metrics: GateMetric[]
  /** Why there can be no gate. */
  disabledReason: string | undefined
  estimate: EvaluationEstimate['gate']
  error: string | undefined
  onChange: (gate: Gate | undefined) => void
}

const switchClass =
  'relative h-[18px] w-8 appearance-none rounded-full bg-edge transition-colors checked:bg-action disabled:opacity-50 ' +
  'before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-on-action before:transition-transform ' +
  'after:absolute after:-inset-x-3 after:-inset-y-[13px] checked:before:translate-x-3.5'

const MARGIN_SHARE_DEFAULT = 0.05
const RATIO_MARGIN_DEFAULT = 1.1
const MAX_MISSING_DEFAULT = 0.02

/** Whether the evaluation says pass or fail, and how much worse is still accepted. */
export function GatePart({ gate, metrics, disabledReason, estimate, error, onChange }: GatePartProps) {
  const [first] = metrics
  const metric = metrics.find(({ name }) => name === gate?.metric)
  const isRatio = metric?.kind === 'ratio'
  const length = metric?.kind === 'difference' ? metric.length : Math.max(gate?.margin ?? 0, 1) * 5
  const margin = gate?.margin ?? estimate?.margin ?? (isRatio ? RATIO_MARGIN_DEFAULT : MARGIN_SHARE_DEFAULT * length)
  const isWrong = isRatio && gate?.margin !== undefined && !isRatioMargin(gate.margin)
  const set = (key: string, value: unknown) =>
    gate && onChange({ ...withProperty(gate, key, value), metric: gate.metric })
  return (
    <>
      <div className="flex min-h-6 items-center justify-between gap-3 touch:min-h-11">
        <h3 className="text-data font-semibold text-ink">Gate</h3>
        <input
          type="checkbox"
          role="switch"
          aria-label="Gate"
          checked={gate !== undefined}
          aria-checked={gate !== undefined}
          disabled={disabledReason !== undefined && !gate}
          aria-describedby={gate ? undefined : 'gate-reason'}
          onChange={() => onChange(gate || !first ? undefined : { metric: first.name })}
          className={switchClass}
        />
      </div>
      {!gate && (
        <p id="gate-reason" className="mt-1">
          {disabledReason ?? 'Makes the evaluation say passed or not, for a release or for CI.'}
        </p>
      )}
      {gate && (
        <>
          <div className="mt-2 grid grid-cols-[minmax(0,1fr)_96px] gap-2">
            <SelectField
              label="Not worse on"
              value={gate.metric}
              onChange={(event) => {
                const next = metrics.find(({ name }) => name === event.target.value)
                // A loss of 0.05 is no ratio, and a ratio of 1.1 accepts every loss.
                const kept = next?.kind === metric?.kind ? gate : withProperty(gate, 'margin', undefined)
                onChange({ ...kept, metric: event.target.value })
              }}
            >
              {metrics.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
              {!metric && <option value={gate.metric}>{gate.metric}</option>}
            </SelectField>
            <NumberField
              label={isRatio ? 'than factor' : 'by more than'}
              placeholder={estimate?.margin == null ? '' : String(estimate.margin)}
              error={isWrong ? 'From 1 to 10, such as 1.1.' : undefined}
              value={gate.margin}
              onChange={(value) => set('margin', value)}
            />
          </div>
          {error && (
            <p role="alert" className="mt-2 text-danger">
              {error}
            </p>
          )}
          <GatePlot
            axis={isRatio ? ratioAxis : differenceAxis(length)}
            margin={isWrong ? RATIO_MARGIN_DEFAULT : margin}
            onChange={(value) => set('margin', value)}
          />
          <GateItems estimate={estimate} isRatio={isRatio} />
          <div className="mt-3">
            <NumberField
              label="Share of items that may be missing"
              placeholder={String(MAX_MISSING_DEFAULT)}
              hint={`Default: ${formatPercent(MAX_MISSING_DEFAULT)}. They count at the worst value; above it the gate cannot be decided.`}
              value={gate.maxMissing}
              onChange={(value) => set('maxMissing', value)}
            />
          </div>
        </>
      )}
    </>
  )
}

/** How many items the margin needs, by the summary of the server. */
function GateItems({ estimate, isRatio }: { estimate: EvaluationEstimate['gate']; isRatio: boolean }) {
  if (!estimate) return <p className="mt-2">The items that it needs are being computed…</p>
  const { items, itemsNeeded, margin, summary } = estimate
  if (itemsNeeded === null) return <p className="mt-2">{withMetricTitles(summary)}</p>
  const isEnough = items >= itemsNeeded
  return (
    <div className="mt-2">
      <p>
        {isRatio
          ? `Opens only if the whole interval and the ratio of the totals are below ${margin} ×.`
          : `Opens only if the whole interval is right of −${margin}.`}
      </p>
      <p className={`mt-1 font-semibold ${isEnough ? 'text-good' : 'text-warn'}`}>
        {isEnough ? 'Enough items' : 'Too few items'}: {formatCount(items)} of about {formatCount(itemsNeeded)}
      </p>
      <p className="mt-1 text-meta">{withMetricTitles(summary)}</p>
    </div>
  )
}

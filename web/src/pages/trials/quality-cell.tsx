import type { TrialDetail } from '../../api/generated/api.ts'
import { niceDomain, type PercentScale, percentScale } from '../../ui/charts/percent-scale.ts'
import { formatCount, formatMetric } from '../../ui/format-number.ts'
import { baselineOf, type Variant } from './trial-words.ts'
import { VariantShape, variantColors } from './variant-mark.tsx'

export interface QualityScale extends PercentScale {
  /** Of the baseline. */
  base: number | undefined
  /** Of the best candidate on new items, on the scale of the metric. */
  onNew: { mean: number; ci: number[] | null } | undefined
}

/** One scale for all variants; undefined before the end, when no quality is known. */
export function qualityScale(trial: TrialDetail): QualityScale | undefined {
  const known = trial.variants.flatMap(({ quality }) => quality ?? [])
  if (known.length === 0) return undefined
  const base = baselineOf(trial)?.quality?.mean
  const expected = trial.ranking?.expectedOnNew
  const onNew =
    base !== undefined && expected
      ? { mean: base + expected.difference, ci: expected.ci?.map((end) => base + end) ?? null }
      : undefined
  const values = [
    ...known.flatMap(({ mean, ci }) => [mean, ...(ci ?? [])]),
    ...(onNew ? [onNew.mean, ...(onNew.ci ?? [])] : []),
  ]
  return { ...percentScale(niceDomain(values)), base, onNew }
}

const HEIGHT = 34
const MIDDLE = 12
const BELOW = 26

interface QualityCellProps {
  variant: Variant
  /** Of its mark. */
  place: number
  scale: QualityScale
  isBest: boolean
}

/** The mean with its interval and n, the same as a plot, and what to expect of the best one on new items. */
export function QualityCell({ variant: { quality }, place, scale, isBest }: QualityCellProps) {
  if (!quality) return <span className="text-faint">not evaluated</span>
  const { mean, ci, items } = quality
  const [low, high] = ci ?? []
  const { fill, stroke } = variantColors(place)
  const onNew = isBest ? scale.onNew : undefined
  const [newLow, newHigh] = onNew?.ci ?? []
  return (
    <div className="min-w-44">
      <p className="tabular-nums">
        <b data-mean className="font-display text-body font-semibold">
          {formatMetric(mean)}
        </b>{' '}
        <span className="text-meta text-soft">
          {low !== undefined && high !== undefined ? `${formatMetric(low)} to ${formatMetric(high)}, ` : ''}n{' '}
          {formatCount(items)}
        </span>
      </p>
      <svg aria-hidden height={onNew ? HEIGHT : 24} className="mt-0.5 block w-full overflow-visible">
        <line x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} className="stroke-line" />
        {scale.base !== undefined && (
          <line
            x1={scale.x(scale.base)}
            x2={scale.x(scale.base)}
            y1="0"
            y2="100%"
            strokeDasharray="2 3"
            className="stroke-edge"
          />
        )}
        {low !== undefined && high !== undefined && (
          <line
            x1={scale.x(low)}
            x2={scale.x(high)}
            y1={MIDDLE}
            y2={MIDDLE}
            strokeWidth={4}
            strokeLinecap="round"
            className={`${stroke} opacity-55`}
          />
        )}
        {onNew && (
          <>
            {newLow !== undefined && newHigh !== undefined && (
              <line
                x1={scale.x(newLow)}
                x2={scale.x(newHigh)}
                y1={BELOW}
                y2={BELOW}
                strokeWidth={1.5}
                className={stroke}
              />
            )}
            <line
              x1={scale.x(onNew.mean)}
              x2={scale.x(onNew.mean)}
              y1={BELOW - 6}
              y2={BELOW + 6}
              strokeWidth={2.5}
              className={stroke}
            />
          </>
        )}
        <svg aria-hidden x={scale.x(mean)} y={MIDDLE} className="overflow-visible">
          <VariantShape place={place} className={fill} />
        </svg>
      </svg>
    </div>
  )
}

import type { TrialDetail } from '../../api/generated/api.ts'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { niceDomain, percentScale } from '../../ui/charts/percent-scale.ts'
import { niceTicksDomain } from '../../ui/charts/ticks.ts'
import { countOf, formatDuration, formatMetric, formatSmallCost } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { markPlaces } from './trial-words.ts'
import { VariantMark, VariantShape, variantColors } from './variant-mark.tsx'

const HEIGHT = 240
const COST_TICKS = 4
/** Costs of an item are fractions of a cent, which all look the same. */
const ITEMS = 1_000
const COST = `Cost of ${countOf(ITEMS, 'item')}`

interface Point {
  name: string
  place: number
  mean: number
  ci: number[] | null
  /** Of so many items. */
  costUsd: number
  durationMs: number | undefined
  isOnFront: boolean
}

/** Quality against cost: what is above and to the left is better, and pale variants are beaten in all three. */
export function CostFront({ trial }: { trial: TrialDetail }) {
  const points = pointsOf(trial)
  const { ranking, cheapest } = trial
  if (!ranking || points.length < 2) return null
  const across = percentScale(niceTicksDomain([0, Math.max(...points.map(({ costUsd }) => costUsd)) || 1], COST_TICKS))
  const upwards = percentScale(niceDomain(points.flatMap(({ mean, ci }) => [mean, ...(ci ?? [])])))
  const y = (value: number) => ((ranking.higherIsBetter ? 100 - upwards.at(value) : upwards.at(value)) / 100) * HEIGHT
  const metric = metricTitle(ranking.metric)
  return (
    <div className="mt-6 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
      <ChartWithTable
        title={`${metric}, cost and time`}
        note="further up is better, further left is cheaper; pale: another variant is at least as good in all three"
        summary={points
          .map((one) => `${one.name}: ${formatMetric(one.mean)} for ${formatSmallCost(one.costUsd)}`)
          .join('. ')}
        table={{
          columns: [
            { title: 'Variant' },
            { title: `${metric}, 95\u202f% interval`, align: 'right' },
            { title: COST, align: 'right' },
            { title: 'Time, median', align: 'right' },
            { title: 'Not beaten in all three' },
          ],
          rows: points.map(({ name, mean, ci, costUsd, durationMs, isOnFront }) => [
            name,
            `${formatMetric(mean)}${ci ? ` (${ci.map(formatMetric).join(' to ')})` : ''}`,
            formatSmallCost(costUsd),
            durationMs === undefined ? 'unknown' : formatDuration(durationMs),
            isOnFront ? 'yes' : 'no',
          ]),
        }}
      >
        <div className="grid grid-cols-[2.75rem_minmax(0,1fr)] gap-x-2">
          <div
            aria-hidden
            className="relative text-[11px] leading-4 text-faint tabular-nums"
            style={{ height: HEIGHT }}
          >
            {upwards.ticks(4).map((tick) => (
              <span key={tick} className="absolute right-0 -translate-y-1/2" style={{ top: y(tick) }}>
                {formatMetric(tick)}
              </span>
            ))}
          </div>
          <svg aria-hidden height={HEIGHT} className="block w-full overflow-visible">
            {upwards.ticks(4).map((tick) => (
              <line key={tick} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} className="stroke-line" />
            ))}
            {points.map(({ name, place, mean, ci, costUsd, isOnFront }) => {
              const { fill, stroke } = variantColors(place)
              const [low, high] = ci ?? []
              return (
                <g key={name} className={isOnFront ? '' : 'opacity-40'}>
                  {low !== undefined && high !== undefined && (
                    <line
                      x1={across.x(costUsd)}
                      x2={across.x(costUsd)}
                      y1={y(low)}
                      y2={y(high)}
                      strokeWidth={2}
                      className={stroke}
                    />
                  )}
                  <svg aria-hidden x={across.x(costUsd)} y={y(mean)} className="overflow-visible">
                    <VariantShape place={place} className={fill} />
                  </svg>
                </g>
              )
            })}
          </svg>
          <span />
          <AxisLabels
            labels={across
              .ticks(COST_TICKS)
              .map((tick) => ({ at: across.at(tick), text: formatSmallCost(tick), key: String(tick) }))}
          />
        </div>
        <p className="mt-1 text-right text-meta text-faint">{COST.toLowerCase()}</p>
        <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-data">
          {points.map(({ name, place, costUsd, durationMs }) => (
            <li key={name} className="min-w-0 wrap-anywhere">
              <VariantMark place={place} />
              <bdi className={name === cheapest?.variant ? 'font-semibold' : ''}>{name}</bdi>{' '}
              <span className="text-soft tabular-nums">
                {formatSmallCost(costUsd)}
                {durationMs !== undefined && `, ${formatDuration(durationMs)}`}
                {name === cheapest?.variant && ', the cheapest that is not worse'}
              </span>
            </li>
          ))}
        </ul>
      </ChartWithTable>
    </div>
  )
}

/** Variants whose cost is not known have no place on the axis. */
function pointsOf(trial: TrialDetail): Point[] {
  const places = markPlaces(trial)
  const front = new Set((trial.front ?? []).map(({ variant }) => variant))
  return trial.variants.flatMap(({ name, quality, durationMs }) =>
    quality && quality.costUsd !== null
      ? [
          {
            name,
            place: places.get(name) ?? -1,
            mean: quality.mean,
            ci: quality.ci,
            costUsd: ITEMS * quality.costUsd,
            durationMs: durationMs?.median,
            isOnFront: front.has(name),
          },
        ]
      : [],
  )
}

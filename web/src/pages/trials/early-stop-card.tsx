import type { TrialDetail } from '../../api/generated/api.ts'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { linearScale } from '../../ui/charts/ticks.ts'
import { ValueLabels, ValueLines } from '../../ui/charts/value-axis.tsx'
import { countOf, formatCount, formatDifference } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { type LookPoint, lookLines, looksInWords, strengthTicks } from './look-lines.ts'
import { candidatesOf } from './trial-words.ts'
import { VariantShape, variantColors } from './variant-mark.tsx'

type Looks = NonNullable<TrialDetail['looks']>

const height = 150
const inset = 8

/** What each look has found, on the way to the line from which a variant is decided. */
export function EarlyStopCard({ trial, looks }: { trial: TrialDetail; looks: Looks }) {
  const { rule, plannedItems, taken } = looks
  const isPlanned = rule === 'planned'
  const items = plannedItems.at(-1) ?? 1
  return (
    <section aria-label="Looks" className="rounded-card border border-line bg-surface p-4">
      <ChartWithTable
        title={isPlanned ? 'Planned looks' : 'Early stop'}
        note={`evidence that ${metricTitle(looks.metric)} differs, at ${countOf(plannedItems.length, 'look')}`}
        summary={looksInWords(looks)}
        table={{
          columns: [
            { title: 'Items', align: 'right' },
            { title: 'Variant' },
            { title: 'Difference', align: 'right' },
            { title: isPlanned ? 'p' : 'Evidence', align: 'right' },
            { title: 'Decides', align: 'right' },
          ],
          rows: taken.flatMap((look) =>
            look.variants.map(({ name, difference, evidence, threshold }) => [
              formatCount(look.items),
              <bdi key="name">{name}</bdi>,
              difference === null ? '–' : formatDifference(difference),
              formatEvidence(evidence),
              `${isPlanned ? 'below' : 'from'} ${formatEvidence(threshold)}`,
            ]),
          ),
        }}
      >
        {taken.length === 0 ? (
          <p className="text-data text-soft">
            The first look is after {formatCount(plannedItems[0] ?? 0)} of {countOf(items, 'item')}.
          </p>
        ) : (
          <Plot trial={trial} looks={looks} items={items} />
        )}
      </ChartWithTable>
    </section>
  )
}

function Plot({ trial, looks, items }: { trial: TrialDetail; looks: Looks; items: number }) {
  const { lines, needed } = lookLines(looks)
  const marked = candidatesOf(trial).map(({ name }) => name)
  const ticks = strengthTicks(looks, { lines, needed })
  const y = linearScale([0, ticks.at(-1)?.at ?? 1], [height - inset, inset])
  const xOf = (count: number) => `${(count / items) * 100}%`
  const labels = ticks.map(({ at }) => at)
  return (
    <div aria-hidden className="relative ml-12">
      <svg aria-hidden height={height} className="block w-full overflow-visible">
        <ValueLines ticks={labels} y={y} />
        <Line points={needed} xOf={xOf} y={y} className="stroke-gold" dashes="4 3" />
        {lines.map(({ name, points }) => {
          const place = marked.indexOf(name) + 1
          const last = points.at(-1)
          return (
            <g key={name}>
              <Line points={points} xOf={xOf} y={y} className={variantColors(place).stroke} />
              {last && (
                <svg aria-hidden x={xOf(last.items)} y={y(last.at)} overflow="visible">
                  <g transform="scale(0.75)">
                    <VariantShape place={place} className={variantColors(place).fill} />
                  </g>
                </svg>
              )}
            </g>
          )
        })}
      </svg>
      <ValueLabels ticks={labels} y={y} format={(at) => ticks.find((tick) => tick.at === at)?.label ?? ''} />
      <div className="relative mt-1 h-4 text-[11px] text-faint tabular-nums">
        <span className="absolute left-0">0</span>
        <span className="absolute right-0">{countOf(items, 'item')}</span>
      </div>
      <p className="mt-1 text-meta text-gold-ink">Dashed: decided from here on</p>
    </div>
  )
}

interface LineProps {
  points: LookPoint[]
  xOf: (items: number) => string
  y: (at: number) => number
  className: string
  dashes?: string
}

function Line({ points, xOf, y, className, dashes }: LineProps) {
  return points.map((point, index) => {
    const before = points[index - 1]
    return (
      before && (
        <line
          key={point.items}
          x1={xOf(before.items)}
          y1={y(before.at)}
          x2={xOf(point.items)}
          y2={y(point.at)}
          strokeWidth={1.5}
          strokeDasharray={dashes}
          className={className}
        />
      )
    )
  })
}

function formatEvidence(value: number): string {
  if (value >= 1e6) return 'over a million'
  return value >= 100 ? formatCount(Math.round(value)) : String(Number(value.toPrecision(2)))
}

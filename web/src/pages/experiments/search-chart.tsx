import type { ExperimentCourse, ExperimentDetail } from '../../api/generated/api.ts'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { niceDomain, percentScale } from '../../ui/charts/percent-scale.ts'
import { linearTicks, niceTicksDomain } from '../../ui/charts/ticks.ts'
import { countOf, formatCount, formatScore, formatSmallCost } from '../../ui/format-number.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { ChartBands, ChartLanes, ChartLegend, PointMark } from './chart-marks.tsx'
import type { ChangeExperimentSearch } from './experiment-search.ts'
import { planFacts } from './experiment-words.ts'
import { fateGroup, fateText, groupCounts } from './fates.ts'

const HEIGHT = 250
const TICKS = 5

interface SearchChartProps {
  experiment: ExperimentDetail
  course: ExperimentCourse
  by: 'cost' | undefined
  onChange: ChangeExperimentSearch
}

/** How the best candidate has grown over the proposals, what is expected of it on new items, and where the others ended. */
export function SearchChart({ experiment, course, by, onChange }: SearchChartProps) {
  const { data: points, items, expected } = course
  const { metric, hasCost } = planFacts(experiment)
  const marked = points.filter((point) => isMarked(point) && (by !== 'cost' || point.costUsd !== null))
  const start = points.find(({ number }) => number === 0)
  const best = experiment.validation?.best
  const ends = marked.flatMap(({ mean, ci }) => [...(mean === null ? [] : [mean]), ...(ci ?? [])])
  const upwards = percentScale(ends.length === 0 ? [0, 1] : clamped(niceDomain(ends)))
  const y = (value: number) => ((100 - upwards.at(value)) / 100) * HEIGHT
  const last = Math.max(4, ...points.map(({ number }) => number))
  const costs = marked.flatMap(({ costUsd }) => costUsd ?? [])
  const across =
    by === 'cost'
      ? percentScale(niceTicksDomain([0, Math.max(...costs, 0) || 1], 4))
      : percentScale([-0.35, last + 0.5])
  const ticks = by === 'cost' ? across.ticks(4) : linearTicks([0, last], 6).filter(Number.isInteger)
  const counts = groupCounts(points)
  return (
    <section aria-labelledby="the-search">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id="the-search" className="font-display text-section font-semibold">
          The search
        </h2>
        <span className="text-data text-soft">
          {metric} on {countOf(items, 'validation item')}, 95 % intervals
        </span>
        <span className="ml-auto text-data text-soft tabular-nums max-lg:ml-0">{counts}</span>
      </div>
      <div className="rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
        <ChartWithTable
          title={by === 'cost' ? 'Quality against cost' : 'Quality over the proposals'}
          summary={summaryOf(experiment, marked.length)}
          {...(hasCost && {
            actions: (
              <Segmented
                label="Axis"
                value={by ?? 'time'}
                options={[
                  { value: 'time', label: 'over time' },
                  { value: 'cost', label: 'against cost' },
                ]}
                onChange={(next) => onChange({ by: next === 'cost' ? 'cost' : undefined })}
              />
            ),
          })}
          table={{
            columns: [
              { title: 'Proposal' },
              { title: 'Mean, 95\u202f% interval', align: 'right' },
              { title: 'Items', align: 'right' },
              { title: 'Cost of an answer', align: 'right' },
              { title: 'End' },
            ],
            rows: points.map((point) => [
              point.number === 0 ? 'the start' : formatCount(point.number),
              point.mean === null
                ? '–'
                : `${formatScore(point.mean)}${point.ci ? ` (${point.ci.map(formatScore).join(' to ')})` : ''}`,
              formatCount(point.answered),
              point.costUsd === null ? 'unknown' : formatSmallCost(point.costUsd),
              fateText(point),
            ]),
          }}
        >
          <ChartLegend points={points} items={items} by={by} />
          <div className="grid grid-cols-[3.75rem_minmax(0,1fr)] gap-x-2 lg:grid-cols-[3.75rem_minmax(0,1fr)_9.5rem]">
            <div
              aria-hidden
              className="relative text-[11px] leading-4 text-faint tabular-nums"
              style={{ height: HEIGHT }}
            >
              {upwards.ticks(TICKS).map((tick) => (
                <span key={tick} className="absolute right-0 -translate-y-1/2" style={{ top: y(tick) }}>
                  {formatScore(tick)}
                </span>
              ))}
            </div>
            <div aria-hidden className="relative">
              <svg aria-hidden height={HEIGHT} className="block w-full overflow-visible">
                {upwards.ticks(TICKS).map((tick) => (
                  <line key={tick} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} className="stroke-line" />
                ))}
                {by !== 'cost' && (
                  <ChartBands points={points} expected={expected} start={start} x={across.at} y={y} last={last} />
                )}
                {marked.map((point) => (
                  <PointMark
                    key={point.number}
                    point={point}
                    x={across.x(by === 'cost' ? (point.costUsd ?? 0) : point.number)}
                    y={y}
                    isBest={point.number === best?.number}
                  />
                ))}
              </svg>
            </div>
            <Ends experiment={experiment} />
            {by !== 'cost' && <ChartLanes points={points} x={across.x} />}
            <span />
            <AxisLabels
              labels={ticks.map((tick) => ({
                at: across.at(tick),
                text: by === 'cost' ? formatSmallCost(tick) : tick === 0 ? 'start' : formatCount(tick),
                key: String(tick),
              }))}
            />
          </div>
          {by === 'cost' && <p className="mt-1 text-right text-meta text-faint">cost of an answer with its scores</p>}
        </ChartWithTable>
      </div>
    </section>
  )
}

/** It has a place on the axis of quality. */
function isMarked({ mean, number, fate }: ExperimentCourse['data'][number]): boolean {
  return mean !== null && (number === 0 || fateGroup({ number, fate }) !== 'lost')
}

function clamped([low, high]: readonly [number, number]): readonly [number, number] {
  return [Math.max(0, low), Math.min(1, high)]
}

/** The numbers at the right end of the lines, in the order of their height. */
function Ends({ experiment: { validation } }: { experiment: ExperimentDetail }) {
  if (!validation || validation.start === null) return <span className="max-lg:hidden" />
  const { start, startCi, best, expectedOnNew } = validation
  const withStart = (value: number) => Math.min(1, Math.max(0, start + value))
  const rows = [
    ...(best && best.number > 0
      ? [{ title: 'best on validation', value: best.mean, ci: best.ci, tone: 'text-series-2' }]
      : []),
    ...(expectedOnNew
      ? [
          {
            title: 'expected on new',
            value: withStart(expectedOnNew.difference),
            ci: expectedOnNew.ci?.map(withStart) ?? null,
            tone: 'text-ink',
          },
        ]
      : []),
    { title: 'start', value: start, ci: startCi, tone: 'text-series-1' },
  ]
  return (
    <dl className="flex flex-wrap content-center gap-x-6 gap-y-2 text-meta tabular-nums max-lg:col-span-2 max-lg:mt-3 max-lg:order-last lg:flex-col lg:justify-center">
      {rows.map(({ title, value, ci, tone }) => (
        <div key={title} data-estimate="" className={tone}>
          <dt className="font-semibold">{title}</dt>
          <dd>
            <b data-mean="" className="font-semibold">
              {formatScore(value)}
            </b>{' '}
            {ci?.map(formatScore).join(' to ')}
            <span className="sr-only">, n {formatCount(validation.items)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function summaryOf({ validation }: ExperimentDetail, marked: number): string {
  if (!validation || validation.start === null) return 'Nothing is scored yet.'
  const { best, start } = validation
  const leader = best && best.number > 0 ? ` The best is proposal ${best.number} with ${formatScore(best.mean)}.` : ''
  return `${countOf(marked, 'prompt')} with a mean; the start has ${formatScore(start)}.${leader}`
}

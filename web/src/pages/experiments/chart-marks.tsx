import type { ExperimentCourse } from '../../api/generated/api.ts'
import { formatCount, formatScore } from '../../ui/format-number.ts'
import { fateGroup, groupOf } from './fates.ts'

type Point = ExperimentCourse['data'][number]

interface ChartBandsProps {
  points: readonly Point[]
  expected: ExperimentCourse['expected']
  start: Point | undefined
  /** In percent. */
  x: (value: number) => number
  y: (value: number) => number
  last: number
}

/** The interval of the start, what is expected on new items with its interval, and the best so far as steps. */
export function ChartBands({ points, expected, start, x, y, last }: ChartBandsProps) {
  if (start?.mean == null) return null
  const { mean, ci } = start
  const at = (difference: number) => y(Math.min(1, Math.max(0, mean + difference)))
  const line = [{ number: 0, difference: 0, ci: [0, 0] }, ...expected]
  const segments = line.map((from, place) => ({ from, to: line[place + 1] ?? { ...from, number: last } }))
  const [low, high] = ci ?? []
  return (
    <>
      {low !== undefined && high !== undefined && (
        <rect
          x="0"
          width="100%"
          y={y(high)}
          height={Math.max(0, y(low) - y(high))}
          className="fill-series-1 opacity-8"
        />
      )}
      {segments.map(({ from, to }) => (
        <g key={from.number}>
          {/* A nested drawing turns percent into its own units, so that the band can be a polygon. */}
          <svg
            aria-hidden
            x={`${x(from.number)}%`}
            width={`${Math.max(0, x(to.number) - x(from.number))}%`}
            height="100%"
            viewBox="0 0 100 250"
            preserveAspectRatio="none"
            className="overflow-visible"
          >
            {from.ci && to.ci && (
              <polygon
                points={`0,${at(from.ci[1] ?? 0)} 100,${at(to.ci[1] ?? 0)} 100,${at(to.ci[0] ?? 0)} 0,${at(from.ci[0] ?? 0)}`}
                className="fill-ink opacity-8"
              />
            )}
          </svg>
          {expected.length > 0 && (
            <line
              x1={`${x(from.number)}%`}
              x2={`${x(to.number)}%`}
              y1={at(from.difference)}
              y2={at(to.difference)}
              strokeWidth={1.5}
              strokeDasharray="4 3"
              className="stroke-soft"
              data-line="expected on new items"
            />
          )}
        </g>
      ))}
      {bestSteps(points, last).map(({ from, to, value }) => (
        <line
          key={from}
          x1={`${x(from)}%`}
          x2={`${x(to)}%`}
          y1={y(value)}
          y2={y(value)}
          strokeWidth={1.5}
          className="stroke-series-2"
        />
      ))}
    </>
  )
}

/** From each new best candidate to the next one. */
function bestSteps(points: readonly Point[], last: number) {
  const leaders: { number: number; mean: number }[] = []
  for (const point of points) {
    const group = groupOf(point)
    if (point.mean === null || (group !== 'start' && group !== 'front' && group !== 'validated')) continue
    if (point.mean > (leaders.at(-1)?.mean ?? -1)) leaders.push({ number: point.number, mean: point.mean })
  }
  return leaders.map(({ number, mean }, place) => ({
    from: number,
    to: leaders[place + 1]?.number ?? last,
    value: mean,
  }))
}

interface PointMarkProps {
  point: Point
  /** In percent, as "37.5%". */
  x: string
  y: (value: number) => number
  isBest: boolean
}

/** The front as orange diamonds, the start as the blue circle, other validated ones gray, dropped ones hollow. */
export function PointMark({ point, x, y, isBest }: PointMarkProps) {
  const { mean, ci, number } = point
  if (mean === null) return null
  const group = groupOf(point)
  const [low, high] = ci ?? []
  const isFront = group === 'front'
  const color = isFront ? 'stroke-series-2' : group === 'start' ? 'stroke-series-1' : 'stroke-mark'
  const hasInterval = low !== undefined && high !== undefined && group !== 'dropped' && group !== 'open'
  const label = group === 'start' ? '' : isFront || isBest ? `${number} · ${formatScore(mean)}` : formatCount(number)
  return (
    <g data-proposal={number}>
      {hasInterval && <line x1={x} x2={x} y1={y(low)} y2={y(high)} strokeWidth={isFront ? 2 : 1.5} className={color} />}
      <svg aria-hidden x={x} y={y(mean)} className="overflow-visible">
        <FateShape group={group} />
        <text
          y={group === 'dropped' ? 18 : hasInterval ? Math.min(-10, y(high) - y(mean) - 6) : -10}
          textAnchor="middle"
          className={`text-[11px] ${isBest ? '' : 'max-sm:hidden'} ${isFront ? 'fill-series-2 font-semibold' : 'fill-soft'}`}
        >
          {label}
        </text>
      </svg>
    </g>
  )
}

/** One shape for each end of a proposal, the same in the chart and in the list. */
function FateShape({ group }: { group: ReturnType<typeof groupOf> }) {
  switch (group) {
    case 'start':
      return <circle r={5} strokeWidth={1.5} className="fill-series-1 stroke-surface" />
    case 'front':
      return <path d="M0-6L6 0L0 6L-6 0Z" strokeWidth={1.5} className="fill-series-2 stroke-surface" />
    case 'validated':
      return <circle r={3.5} strokeWidth={1.5} className="fill-mark stroke-surface" />
    case 'dropped':
      return <circle r={4} strokeWidth={1.5} className="fill-surface stroke-mark" />
    case 'open':
      return <circle r={4} strokeWidth={1.5} strokeDasharray="2 2" className="fill-surface stroke-mark" />
    case 'lost':
      return <line y1={-5} y2={5} strokeWidth={2} className="stroke-mark" />
    default:
      return <path d="M-4-4L4 4M4-4L-4 4" strokeWidth={1.75} className="fill-none stroke-mark" />
  }
}

export function FateIcon({ group }: { group: ReturnType<typeof groupOf> }) {
  return (
    <svg aria-hidden viewBox="-8 -8 16 16" className="inline-block size-3 shrink-0">
      <FateShape group={group} />
    </svg>
  )
}

interface ChartLanesProps {
  points: readonly Point[]
  x: (value: number) => string
}

/** Below the axis: what never had a mean on the validation items. */
export function ChartLanes({ points, x }: ChartLanesProps) {
  return (['lost', 'rejected'] as const).map((lane) => (
    <div key={lane} aria-hidden className="contents">
      <span className="pt-3.5 text-right text-[11px] leading-4 whitespace-nowrap text-faint">
        {lane === 'lost' ? 'lost' : 'rejected'}
      </span>
      <svg aria-hidden height={32} className="block w-full overflow-visible">
        <line x1="0" x2="100%" y1={22} y2={22} strokeDasharray="1 3" className="stroke-line" />
        {points
          .filter((point) => fateGroup(point) === lane)
          .map(({ number }) => (
            <svg key={number} aria-hidden x={x(number)} y={22} className="overflow-visible">
              <FateShape group={lane} />
            </svg>
          ))}
      </svg>
      <span className="max-lg:hidden" />
    </div>
  ))
}

interface ChartLegendProps {
  points: readonly Point[]
  items: number
  by: 'cost' | undefined
}

/** Of the marks that the chart has. */
export function ChartLegend({ points, items, by }: ChartLegendProps) {
  const known = new Set<string>(points.map(groupOf))
  const entries = [
    { group: 'start', text: 'start, with its interval' },
    { group: 'front', text: 'on the front: best on some items' },
    { group: 'validated', text: `validated on all ${formatCount(items)}` },
    { group: 'dropped', text: 'dropped early' },
    ...(by === 'cost'
      ? []
      : ([
          { group: 'lost', text: 'lost on its training items' },
          { group: 'rejected', text: 'rejected by a guard' },
        ] as const)),
  ] as const
  return (
    <ul className="mb-4 flex flex-wrap gap-x-5 gap-y-1 text-meta text-soft">
      {entries
        .filter(({ group }) => known.has(group))
        .map(({ group, text }) => (
          <li key={group} className="flex items-center gap-1.5">
            <FateIcon group={group} />
            {text}
          </li>
        ))}
      {by !== 'cost' && (
        <li className="flex items-center gap-1.5">
          <svg aria-hidden viewBox="0 0 16 8" className="h-2 w-4">
            <line x1="0" x2="16" y1="4" y2="4" strokeWidth="1.5" strokeDasharray="4 3" className="stroke-soft" />
          </svg>
          expected on new items
        </li>
      )}
    </ul>
  )
}

import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { percentScale } from '../../ui/charts/percent-scale.ts'
import { intervalClass, SeriesMark } from '../../ui/charts/series-mark.tsx'

interface MarginAxis {
  /** What the plot is drawn for, as a loss. */
  length: number
  lossOf: (margin: number) => number
  marginAt: (loss: number) => number
  /** By how much an arrow key changes the margin. */
  step: number
  range: readonly [number, number]
  label: (margin: number) => string
  /** The label of no change. */
  origin: string
}

interface GatePlotProps {
  axis: MarginAxis
  margin: number
  onChange: (margin: number) => void
}

const STEPS = 200

/** A loss on a scale of this length. */
export function differenceAxis(length: number): MarginAxis {
  return {
    length,
    lossOf: (margin) => margin,
    marginAt: (loss) => loss,
    step: length / STEPS,
    range: [0, length],
    label: (margin) => `−${margin}`,
    origin: '0',
  }
}

/** A factor on a log axis. */
export const ratioAxis: MarginAxis = {
  length: Math.LN2,
  lossOf: Math.log,
  marginAt: Math.exp,
  step: 0.01,
  range: [1.01, 10],
  label: (margin) => `${margin} ×`,
  origin: '1 ×',
}

/** Three intervals relative to the margin: only the first one passes. Low end, mean and high end, in shares of the scale. */
const cases = [
  { word: 'opens', interval: [0.01, 0.056, 0.102], className: 'text-good' },
  { word: 'stays shut', interval: [-0.042, 0.004, 0.05], className: 'text-danger' },
  { word: 'stays shut', interval: [-0.127, -0.067, -0.007], className: 'text-danger' },
] as const

const HEIGHT = 96

/** What the margin means, and a handle to move it. Right is better. */
export function GatePlot({ axis, margin, onChange }: GatePlotProps) {
  const plot = useRef<HTMLDivElement>(null)
  const { length, step, range } = axis
  const loss = axis.lossOf(margin)
  const reach = Math.max(0.2 * length, 1.5 * loss)
  const domain = [-reach, 0.14 * length] as const
  const scale = percentScale(domain)
  const set = (next: number) =>
    onChange(Number(Math.min(Math.max(range[0], Math.round(next / step) * step), range[1]).toPrecision(6)))
  const drag = (event: PointerEvent<HTMLButtonElement>) => {
    const box = plot.current?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    set(axis.marginAt(-(domain[0] + ((event.clientX - box.left) / box.width) * (domain[1] - domain[0]))))
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: 1, ArrowDown: 1, ArrowRight: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    set(margin + by * step)
  }
  return (
    <div className="mt-3">
      <p className="sr-only">
        The gate opens if the whole interval of the change lies right of the margin. It stays shut if the interval
        crosses the margin or lies left of it.
      </p>
      <div ref={plot} className="relative mr-19">
        <svg aria-hidden height={HEIGHT} className="block w-full overflow-visible">
          <rect x="0" y="0" width={scale.x(-loss)} height={HEIGHT} className="fill-danger-wash opacity-75" />
          <line x1={scale.x(0)} x2={scale.x(0)} y1={-2} y2={HEIGHT} className="stroke-ink" strokeWidth={1.25} />
          <line
            x1={scale.x(-loss)}
            x2={scale.x(-loss)}
            y1={-2}
            y2={HEIGHT}
            strokeWidth={1.5}
            strokeDasharray="4 3"
            className="stroke-gold"
          />
          {cases.map(({ interval: [low, mean, high] }, index) => {
            const y = 18 + index * 30
            const at = (share: number) => scale.x(-loss + share * length)
            return (
              <g key={mean}>
                <line
                  x1={at(low)}
                  x2={at(high)}
                  y1={y}
                  y2={y}
                  strokeWidth={2.5}
                  strokeLinecap="round"
                  className={intervalClass.candidate}
                />
                <SeriesMark series="candidate" x={at(mean)} y={y} />
              </g>
            )
          })}
        </svg>
        <div aria-hidden className="absolute inset-y-0 left-full ml-2 w-17 text-meta font-semibold">
          {cases.map(({ word, className, interval }, index) => (
            <span key={interval[1]} className={`absolute ${className}`} style={{ top: 10 + index * 30 }}>
              {word}
            </span>
          ))}
        </div>
        <div className="relative h-7 text-[11px] tabular-nums">
          <span aria-hidden className="absolute top-1.5 -translate-x-1/2" style={{ left: scale.x(0) }}>
            {scale.at(0) - scale.at(-loss) > 6 ? axis.origin : ''}
          </span>
          <span
            aria-hidden
            className="absolute top-1.5 -translate-x-full pr-3.5 font-semibold text-gold-ink"
            style={{ left: scale.x(-loss) }}
          >
            {axis.label(margin)}
          </span>
          <button
            type="button"
            role="slider"
            aria-label="Margin"
            aria-orientation="horizontal"
            aria-valuemin={range[0]}
            aria-valuemax={range[1]}
            aria-valuenow={margin}
            aria-valuetext={axis.label(margin)}
            onKeyDown={press}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
            className="absolute top-0 grid h-7 w-7 -translate-x-1/2 cursor-ew-resize touch-none place-items-start justify-items-center rounded-control touch:h-11 touch:w-11"
            style={{ left: scale.x(-loss) }}
          >
            <svg aria-hidden viewBox="-7 -9 14 17" className="mt-0.5 h-4 w-3.5">
              <path d="M0-8 6 0v7h-12v-7z" className="fill-gold" />
            </svg>
          </button>
        </div>
      </div>
    </div>
  )
}

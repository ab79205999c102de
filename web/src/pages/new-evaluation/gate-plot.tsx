import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { percentScale } from '../../ui/charts/percent-scale.ts'
import { intervalClass, SeriesMark } from '../../ui/charts/series-mark.tsx'

interface GatePlotProps {
  margin: number
  /** The length of the metric's scale; of a metric without one, what the plot is drawn for. */
  length: number
  onChange: (margin: number) => void
}

/** Three intervals relative to the margin: only the first one passes. Low end, mean and high end, in shares of the scale. */
const cases = [
  { word: 'opens', interval: [0.01, 0.056, 0.102], className: 'text-good' },
  { word: 'stays shut', interval: [-0.042, 0.004, 0.05], className: 'text-danger' },
  { word: 'stays shut', interval: [-0.127, -0.067, -0.007], className: 'text-danger' },
] as const

const HEIGHT = 96
const STEPS = 200

/** What the margin means, and a handle to move it. Right is better. */
export function GatePlot({ margin, length, onChange }: GatePlotProps) {
  const plot = useRef<HTMLDivElement>(null)
  const reach = Math.max(0.2 * length, 1.5 * margin)
  const domain = [-reach, 0.14 * length] as const
  const scale = percentScale(domain)
  const step = length / STEPS
  const set = (next: number) =>
    onChange(Number(Math.min(Math.max(0, Math.round(next / step) * step), length).toPrecision(6)))
  const drag = (event: PointerEvent<HTMLButtonElement>) => {
    const box = plot.current?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    set(-(domain[0] + ((event.clientX - box.left) / box.width) * (domain[1] - domain[0])))
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
        The gate opens if the whole interval of the difference lies right of the margin. It stays shut if the interval
        crosses the margin or lies left of it.
      </p>
      <div ref={plot} className="relative mr-19">
        <svg aria-hidden height={HEIGHT} className="block w-full overflow-visible">
          <rect x="0" y="0" width={scale.x(-margin)} height={HEIGHT} className="fill-danger-wash opacity-75" />
          <line x1={scale.x(0)} x2={scale.x(0)} y1={-2} y2={HEIGHT} className="stroke-ink" strokeWidth={1.25} />
          <line
            x1={scale.x(-margin)}
            x2={scale.x(-margin)}
            y1={-2}
            y2={HEIGHT}
            strokeWidth={1.5}
            strokeDasharray="4 3"
            className="stroke-gold"
          />
          {cases.map(({ interval: [low, mean, high] }, index) => {
            const y = 18 + index * 30
            const at = (share: number) => scale.x(-margin + share * length)
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
            {scale.at(0) - scale.at(-margin) > 6 ? '0' : ''}
          </span>
          <span
            aria-hidden
            className="absolute top-1.5 -translate-x-full pr-3.5 font-semibold text-gold-ink"
            style={{ left: scale.x(-margin) }}
          >
            −{margin}
          </span>
          <button
            type="button"
            role="slider"
            aria-label="Margin"
            aria-orientation="horizontal"
            aria-valuemin={0}
            aria-valuemax={length}
            aria-valuenow={margin}
            onKeyDown={press}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
            className="absolute top-0 grid h-7 w-7 -translate-x-1/2 cursor-ew-resize touch-none place-items-start justify-items-center rounded-control touch:h-11 touch:w-11"
            style={{ left: scale.x(-margin) }}
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

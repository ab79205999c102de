import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { percentScale } from './percent-scale.ts'
import { formatMoment, type TimeRange } from './time-buckets.ts'

interface TimeBrushProps {
  range: TimeRange
  bucketMs: number
  selection: TimeRange | undefined
  onSelect: ((range: TimeRange | undefined) => void) | undefined
  onHover: (time: number | undefined) => void
}

/**
 * Selects a range of whole buckets: by dragging, or by two sliders, one for each end. Arrow keys move an end by one
 * bucket, Page Up and Page Down by ten, Escape removes the selection.
 */
export function TimeBrush({ range, bucketMs, selection, onSelect, onHover }: TimeBrushProps) {
  const [drag, setDrag] = useState<{ anchor: number; range: TimeRange }>()
  const scale = percentScale([range.from, range.to])
  const shown = drag?.range ?? selection
  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || !onSelect) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const anchor = timeUnder(event, range)
    setDrag({ anchor, range: wholeBuckets(anchor, anchor, range, bucketMs) })
  }
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const time = timeUnder(event, range)
    onHover(time)
    if (drag) setDrag({ ...drag, range: wholeBuckets(drag.anchor, time, range, bucketMs) })
  }
  const up = () => {
    if (drag) onSelect?.(drag.range)
    setDrag(undefined)
  }
  const onKeyDown = (end: keyof TimeRange) => (event: KeyboardEvent) => {
    const current = selection ?? range
    const next = event.key === 'Escape' && selection ? 'none' : moveEnd(current, end, event.key, { range, bucketMs })
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onSelect?.(next === 'none' ? undefined : next)
  }
  return (
    <div
      data-testid="time-brush"
      className={`absolute inset-0 touch-pan-y ${onSelect ? 'cursor-crosshair' : ''}`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => setDrag(undefined)}
      onPointerLeave={() => onHover(undefined)}
    >
      {shown && (
        <div
          className="absolute inset-y-0 border-x-2 border-gold bg-gold/20"
          style={{ left: scale.x(shown.from), width: `${scale.at(shown.to) - scale.at(shown.from)}%` }}
        />
      )}
      {onSelect &&
        (['from', 'to'] as const).map((end) => (
          <div
            key={end}
            role="slider"
            tabIndex={0}
            aria-label={end === 'from' ? 'Start of the range' : 'End of the range'}
            aria-valuemin={range.from}
            aria-valuemax={range.to}
            aria-valuenow={(selection ?? range)[end]}
            aria-valuetext={formatMoment((selection ?? range)[end])}
            onKeyDown={onKeyDown(end)}
            className={`absolute inset-y-0 w-2 rounded-sm ${end === 'to' ? '-translate-x-full' : ''} ${selection ? 'cursor-ew-resize' : ''}`}
            style={{ left: scale.x((shown ?? range)[end]) }}
          />
        ))}
    </div>
  )
}

function timeUnder(event: PointerEvent<HTMLDivElement>, { from, to }: TimeRange): number {
  const box = event.currentTarget.getBoundingClientRect()
  const share = box.width > 0 ? (event.clientX - box.left) / box.width : 0
  return from + Math.min(1, Math.max(0, share)) * (to - from)
}

/** The buckets between two times, both included. */
function wholeBuckets(a: number, b: number, range: TimeRange, bucketMs: number): TimeRange {
  const index = (time: number) => Math.floor((time - range.from) / bucketMs)
  const from = range.from + Math.min(index(a), index(b)) * bucketMs
  const to = range.from + (Math.max(index(a), index(b)) + 1) * bucketMs
  return { from: Math.max(range.from, Math.min(from, range.to - bucketMs)), to: Math.min(range.to, to) }
}

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
}

function moveEnd(
  current: TimeRange,
  end: keyof TimeRange,
  key: string,
  { range, bucketMs }: { range: TimeRange; bucketMs: number },
): TimeRange | undefined {
  const step = steps[key]
  const isJump = key === 'Home' || key === 'End'
  if (step === undefined && !isJump) return undefined
  const wanted = isJump ? (key === 'Home' ? range.from : range.to) : current[end] + (step ?? 0) * bucketMs
  // The ends never cross: at least one bucket stays selected.
  if (end === 'from') return { ...current, from: Math.max(range.from, Math.min(wanted, current.to - bucketMs)) }
  return { ...current, to: Math.min(range.to, Math.max(wanted, current.from + bucketMs)) }
}

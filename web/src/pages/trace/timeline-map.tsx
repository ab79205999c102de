import { ZoomIn, ZoomOut } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { formatDuration } from '../../ui/format-number.ts'
import type { OutlineModel, OutlineSpan } from './outline-model.ts'
import { spanKinds } from './span-kinds.tsx'

/** The part of the trace that the timeline shows, in milliseconds after its start. */
export interface TimeWindow {
  startMs: number
  endMs: number
}

interface TimelineMapProps {
  outline: OutlineModel
  shown: TimeWindow
  selected: OutlineSpan | undefined
  onChange: (shown: TimeWindow) => void
}

/** More would not be distinguished at this height. */
const BARS_MAX = 200
const LEVELS = 6
/** Below that, all spans would be shorter than the window. */
const WINDOW_MS_MIN = 0.1

/** The whole trace at a small scale. Dragging chooses the part that the timeline below shows. */
export function TimelineMap({ outline, shown, selected, onChange }: TimelineMapProps) {
  const { durationMs } = outline
  const map = useRef<HTMLDivElement>(null)
  const [dragStartMs, setDragStartMs] = useState<number>()
  const isWhole = shown.startMs === 0 && shown.endMs === durationMs
  const longest = outline.spans.toSorted((a, b) => (b.durationMs ?? 0) - (a.durationMs ?? 0)).slice(0, BARS_MAX)
  const percent = (ms: number) => `${(ms / durationMs) * 100}%`
  const timeAt = (event: PointerEvent) => {
    const { left = 0, width = 1 } = map.current?.getBoundingClientRect() ?? {}
    return Math.min(1, Math.max(0, (event.clientX - left) / width)) * durationMs
  }
  const show = (startMs: number, endMs: number) => {
    const length = Math.min(durationMs, Math.max(WINDOW_MS_MIN, endMs - startMs))
    const start = Math.min(durationMs - length, Math.max(0, startMs))
    onChange({ startMs: start, endMs: start + length })
  }
  const scale = (factor: number) => {
    const isInside = selected && selected.startMs >= shown.startMs && selected.startMs <= shown.endMs
    const middle = isInside
      ? selected.startMs + Math.min(selected.durationMs ?? 0, shown.endMs - selected.startMs) / 2
      : (shown.startMs + shown.endMs) / 2
    const length = (shown.endMs - shown.startMs) * factor
    show(middle - length / 2, middle + length / 2)
  }
  const showAll = () => show(0, durationMs)
  useShortcut('zoomIn', () => scale(0.5))
  useShortcut('zoomOut', isWhole ? undefined : () => scale(2))
  useShortcut('zoomAll', isWhole ? undefined : showAll)
  return (
    <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
      <div
        ref={map}
        aria-hidden
        className="relative h-8 flex-1 cursor-crosshair touch-none overflow-hidden rounded-control bg-sunken"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragStartMs(timeAt(event))
        }}
        onPointerMove={(event) => {
          if (dragStartMs === undefined) return
          const ms = timeAt(event)
          show(Math.min(dragStartMs, ms), Math.max(dragStartMs, ms))
        }}
        onPointerUp={() => setDragStartMs(undefined)}
        onPointerCancel={() => setDragStartMs(undefined)}
      >
        {longest.map((span) => (
          <span
            key={span.spanId}
            className={`absolute h-[3px] min-w-px ${span.isError ? 'bg-danger' : spanKinds[span.kind].bar}`}
            style={{
              left: percent(span.startMs),
              width: percent(span.durationMs ?? 0),
              top: 3 + Math.min(span.depth, LEVELS - 1) * 4,
            }}
          />
        ))}
        {!isWhole && (
          <span
            className="absolute inset-y-0 min-w-0.5 border-x-2 border-gold bg-gold/15"
            style={{ left: percent(shown.startMs), width: percent(shown.endMs - shown.startMs) }}
          />
        )}
      </div>
      <span className="text-meta text-faint tabular-nums" role="status">
        {isWhole ? 'Whole trace' : `${formatDuration(shown.startMs)} to ${formatDuration(shown.endMs)}`}
      </span>
      <Button look="quiet" size="small-icon" aria-label="Zoom in" tip="Zoom in" onClick={() => scale(0.5)}>
        <ZoomIn aria-hidden className="size-4" />
      </Button>
      <Button
        look="quiet"
        size="small-icon"
        aria-label="Zoom out"
        disabledReason={isWhole ? 'The whole trace is shown.' : undefined}
        onClick={() => scale(2)}
      >
        <ZoomOut aria-hidden className="size-4" />
      </Button>
    </div>
  )
}

import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { useRowWindow } from '../../ui/data-table/use-row-window.ts'
import { formatDuration } from '../../ui/format-number.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import type { Step } from './align-steps.ts'
import { SideMark } from './sides.tsx'
import { barsClass, StepRow } from './step-row.tsx'

const stepsOfKeys: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface StepListProps {
  steps: readonly Step[]
  /** Of the longer trace: the bars of both have the same scale. */
  durationMs: number
  /** The position of the selected step. */
  selected: number
  onSelect: (step: Step) => void
}

/** The steps from top to bottom. Only those in view are in the document. */
export function StepList({ steps, durationMs, selected, onSelect }: StepListProps) {
  const listId = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useRef<HTMLDivElement>(null)
  // As the classes of the rows.
  const rowHeight = useMediaQuery('(width < 40rem), (pointer: coarse)') ? 44 : 32
  const view = useRowWindow({ scroll: 'own', count: steps.length, rowHeight, scroller, list: rows, coveredTop: 0 })
  const { scrollTo } = view
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is a new one in each rendering
  useEffect(() => {
    if (selected >= 0) scrollTo(selected)
  }, [selected, steps])
  const onKeyDown = (event: KeyboardEvent) => {
    const by = stepsOfKeys[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = steps[Math.min(steps.length - 1, Math.max(0, selected + by))]
    if (next) onSelect(next)
  }
  return (
    <div className="@container flex min-h-0 min-w-0 flex-col lg:sticky lg:top-12 lg:self-start">
      <div className="flex items-end gap-3 border-b border-line py-2 pr-4 pl-5 text-meta text-soft">
        <span className="min-w-0 flex-1">Step</span>
        <span className={`flex justify-between ${barsClass}`}>
          <span className="flex gap-1.5">
            <SideMark side="left" />
            <SideMark side="right" />
          </span>
          <span className="hidden tabular-nums @lg:inline">{formatDuration(durationMs)}</span>
        </span>
        <span className="hidden w-24 text-right @lg:block">B uses</span>
        <span className="w-16 text-right">B takes</span>
      </div>
      <div
        ref={scroller}
        role="listbox"
        aria-label="Steps"
        aria-activedescendant={selected >= 0 ? `${listId}-${selected}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ height: steps.length * rowHeight }}
        className="max-h-[calc(100dvh-7rem)] overflow-y-auto overscroll-contain focus-visible:-outline-offset-2 max-lg:max-h-72"
      >
        <div ref={rows} role="presentation" style={{ paddingTop: view.before, paddingBottom: view.after }}>
          {view.indexes.map((index) => {
            const step = steps[index]
            if (!step) return null
            return (
              <StepRow
                key={index}
                id={`${listId}-${index}`}
                step={step}
                position={index + 1}
                total={steps.length}
                durationMs={durationMs}
                isSelected={index === selected}
                onSelect={() => onSelect(step)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

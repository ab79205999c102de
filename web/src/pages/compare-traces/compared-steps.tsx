import { useEffect, useRef, useState } from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCount } from '../../ui/format-number.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { defaultStep, filterOf, isFailed, type Step } from './align-steps.ts'
import type { CompareTracesSearch } from './compare-traces-search.ts'
import type { BothSides } from './sides.tsx'
import { StepDetail } from './step-detail.tsx'
import { StepFilters } from './step-filters.tsx'
import { StepList } from './step-list.tsx'
import type { ComparedTrace } from './use-compared-trace.ts'

interface ComparedStepsProps {
  traces: BothSides<ComparedTrace>
  steps: Step[]
  search: CompareTracesSearch
  change: (changes: Partial<CompareTracesSearch>) => void
}

/** The spans of both traces in one list, with both sides of the selected one. */
export function ComparedSteps({ traces, steps, search, change }: ComparedStepsProps) {
  const { show } = search
  const shown = show ? steps.filter((step) => filterOf(step) === show) : steps
  // Known at once: keys may be pressed faster than the address changes.
  const [chosen, setChosen] = useState<Step>()
  const named = findNamed(shown, search)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address has changed
  useEffect(() => setChosen(undefined), [search.leftSpan, search.rightSpan, steps])
  const selected = chosen && shown.includes(chosen) ? chosen : (named ?? defaultStep(shown))
  const isStacked = useMediaQuery('(max-width: 1023px)')
  const detail = useRef<HTMLDivElement>(null)
  const select = (step: Step | undefined) => {
    if (!step) return
    setChosen(step)
    change({ leftSpan: step.left?.spanId, rightSpan: step.right?.spanId })
  }
  const position = selected ? shown.indexOf(selected) : -1
  useShortcut('nextSpan', () => select(shown[position + 1]))
  useShortcut('previousSpan', () => select(shown[position - 1]))
  const failed = shown.filter(isFailed)
  const nextFailed = () => select(failed.find((step) => shown.indexOf(step) > position) ?? failed[0])
  useShortcut('nextFailedSpan', failed.length > 0 ? nextFailed : undefined)
  return (
    <section aria-labelledby="steps" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="steps" className="font-display text-section font-semibold">
          Steps
        </h2>
        <span className="text-data text-soft">aligned by kind, name and position in the tree</span>
        <span className="ml-auto flex flex-wrap items-center gap-x-4 text-meta text-soft max-sm:hidden">
          <span className="flex items-center gap-1.5">
            <ShortcutKeys id="nextSpan" />
            <ShortcutKeys id="previousSpan" /> next, previous
          </span>
          {failed.length > 0 && (
            <span className="flex items-center gap-1.5">
              <ShortcutKeys id="nextFailedSpan" /> next failed
            </span>
          )}
        </span>
      </div>
      <StepFilters
        steps={steps}
        filter={show}
        onChange={(next) => change({ show: next, leftSpan: undefined, rightSpan: undefined })}
      />
      <LeftOut traces={traces} />
      {shown.length === 0 && <p className="text-soft">No step is of this kind.</p>}
      {selected && (
        <div className="grid grid-cols-1 overflow-clip rounded-card border border-line bg-surface shadow-lift lg:grid-cols-[24rem_minmax(0,1fr)] wide:grid-cols-[minmax(24rem,5fr)_minmax(0,7fr)]">
          <StepList
            steps={shown}
            durationMs={Math.max(traces.left.outline.durationMs, traces.right.outline.durationMs)}
            selected={position}
            onSelect={(step) => {
              select(step)
              if (isStacked) detail.current?.scrollIntoView({ block: 'start' })
            }}
          />
          <div
            ref={detail}
            className="min-w-0 scroll-mt-12 border-line max-lg:border-t max-sm:scroll-mt-28 lg:border-l"
          >
            <StepDetail step={selected} keys={{ left: traces.left.key, right: traces.right.key }} />
          </div>
        </div>
      )}
    </section>
  )
}

/** A trace of more than 50,000 spans is not compared as a whole, which must be said. */
function LeftOut({ traces: { left, right } }: { traces: BothSides<ComparedTrace> }) {
  const parts = [left, right].flatMap(({ spanCount, outline: { spans } }, index) =>
    spanCount > spans.length
      ? `the first ${formatCount(spans.length)} of ${formatCount(spanCount)} spans of ${index === 0 ? 'A' : 'B'}`
      : [],
  )
  if (parts.length === 0) return null
  return <p className="mb-3 text-data text-warn">Compared are {parts.join(' and ')}.</p>
}

/** The step of the address. If another alignment has separated its spans, the one that has either of them. */
function findNamed(steps: readonly Step[], { leftSpan, rightSpan }: CompareTracesSearch): Step | undefined {
  if (leftSpan === undefined && rightSpan === undefined) return undefined
  const isSame = ({ left, right }: Step) => left?.spanId === leftSpan && right?.spanId === rightSpan
  const hasOne = ({ left, right }: Step) =>
    (left !== undefined && left.spanId === leftSpan) || (right !== undefined && right.spanId === rightSpan)
  return steps.find(isSame) ?? steps.find(hasOne)
}

import { TriangleAlert } from 'lucide-react'
import { formatCount } from '../../ui/format-number.ts'
import type { OutlineSpan } from '../trace/outline-model.ts'
import { KindMark } from '../trace/span-kinds.tsx'
import { filterOf, type Step } from './align-steps.ts'
import { amountText, factorText, quantities } from './amounts.ts'
import { type Side, sideLetters, sides } from './sides.tsx'
import { stepName } from './step-name.ts'

interface StepRowProps {
  id: string
  step: Step
  /** From 1. */
  position: number
  total: number
  /** Of the longer trace. */
  durationMs: number
  isSelected: boolean
  onSelect: () => void
}

/** The width of the bars in the list. */
export const barsClass = 'w-20 shrink-0 @lg:w-40 @2xl:w-56'

/** Deeper levels are not indented further, so that names stay readable. */
const DEPTH_MAX = 8

export function StepRow({ id, step, position, total, durationMs, isSelected, onSelect }: StepRowProps) {
  const { left, right } = step
  const span = left ?? right
  if (!span) return null
  const filter = filterOf(step)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the active option
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-posinset={position}
      aria-setsize={total}
      onClick={onSelect}
      className={`flex h-8 cursor-pointer touch:h-11 items-center gap-3 border-b border-line/60 pr-4 pl-5 text-data ${
        isSelected ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : 'hover:bg-hover'
      }`}
    >
      <span
        className="flex min-w-0 flex-1 items-center gap-1.5"
        style={{ paddingLeft: Math.min(span.depth, DEPTH_MAX) * 10 }}
      >
        <KindMark kind={span.kind} />
        <bdi title={stepName(step)} className={`truncate ${isSelected ? 'font-medium' : ''}`}>
          {stepName(step)}
        </bdi>
        {sides.map((side) => step[side]?.isError && <Failed key={side} side={side} isAlone={filter !== 'both'} />)}
      </span>
      <span aria-hidden className={`flex h-full flex-col justify-center gap-[3px] border-x border-line ${barsClass}`}>
        <Bar side="left" span={left} durationMs={durationMs} />
        <Bar side="right" span={right} durationMs={durationMs} />
      </span>
      <span className="hidden w-24 text-right text-meta text-soft tabular-nums @lg:block">
        {filter === 'both' && tokensText(step)}
      </span>
      <span className="w-16 shrink-0 text-right text-meta tabular-nums">
        {filter === 'both' ? (
          <>
            <span className="sr-only">{timesText(step)}</span>
            {factorText(left?.durationMs, right?.durationMs) ?? <span className="text-faint">{sameText(step)}</span>}
          </>
        ) : (
          <span className="font-medium whitespace-nowrap">only in {sideLetters[filter]}</span>
        )}
      </span>
    </div>
  )
}

function Failed({ side, isAlone }: { side: Side; isAlone: boolean }) {
  return (
    <span className="flex shrink-0 items-center gap-0.5 text-meta text-danger">
      <TriangleAlert role="img" aria-label={isAlone ? 'failed' : 'failed in'} className="size-3.5" />
      {!isAlone && sideLetters[side]}
    </span>
  )
}

/** When the span ran within its trace. A failed one is hatched. */
function Bar({ side, span, durationMs }: { side: Side; span: OutlineSpan | undefined; durationMs: number }) {
  if (!span) return <span className="h-[5px]" />
  const left = Math.min(99, (span.startMs / durationMs) * 100)
  const width = Math.min(100 - left, Math.max(0.5, ((span.durationMs ?? 0) / durationMs) * 100))
  const color = side === 'left' ? 'bg-series-1' : 'bg-series-2'
  return (
    <span className="relative h-[5px]">
      <span
        className={`absolute inset-y-0 min-w-[2px] rounded-[1px] ${span.isError ? 'hatched-danger' : color} ${span.children.length > 0 ? 'opacity-55' : ''}`}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
    </span>
  )
}

function timesText({ left, right }: Step): string {
  const [before, after] = [left, right].map((span) => amountText(quantities.time, span?.durationMs))
  return `A ${before}, B ${after}: `
}

function sameText({ left, right }: Step): string {
  return left?.durationMs === right?.durationMs ? 'the same' : ''
}

/** "+320 tokens" */
function tokensText({ left, right }: Step): string {
  if (typeof left?.totalTokens !== 'number' || typeof right?.totalTokens !== 'number') return ''
  const difference = right.totalTokens - left.totalTokens
  if (difference === 0) return 'same tokens'
  return `${difference > 0 ? '+' : ''}${formatCount(difference)} tokens`
}

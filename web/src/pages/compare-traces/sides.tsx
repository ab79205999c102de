import { Link } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { ComparedTrace } from './use-compared-trace.ts'

export const sides = ['left', 'right'] as const

export type Side = (typeof sides)[number]

export type BothSides<Value> = Record<Side, Value>

export const sideLetters = { left: 'A', right: 'B' } as const

/** The left trace has the mark of a baseline and the right one that of a candidate, as everywhere. */
const sideSeries = { left: 'baseline', right: 'candidate' } as const

export const sideBorders = { left: 'border-series-1', right: 'border-series-2' } as const

export function SideMark({ side }: { side: Side }) {
  return (
    <span className="whitespace-nowrap">
      <SeriesIcon series={sideSeries[side]} />
      {sideLetters[side]}
    </span>
  )
}

/** Which trace this is, when it ran, and the way to it. */
export function TraceTitle({ side, trace: { key, trace, name } }: { side: Side; trace: ComparedTrace }) {
  return (
    <span className="flex min-w-0 items-baseline gap-x-2">
      <b className="font-semibold">
        <SideMark side={side} />
      </b>
      <bdi className="min-w-0 truncate">{name}</bdi>
      <span className="shrink-0 text-soft">
        <RelativeTime time={trace.startTime} />
      </span>
      <Link to={pagePaths.trace(key.applicationId, key.traceId)} className={sideLinkClass}>
        Open<span className="sr-only"> trace {sideLetters[side]}</span>
      </Link>
    </span>
  )
}

export const sideLinkClass =
  'touch-link shrink-0 rounded-sm text-soft underline decoration-edge underline-offset-3 hover:text-ink'

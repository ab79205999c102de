import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { amountText, differenceText, factorText, quantities } from './amounts.ts'
import { type BothSides, type Side, SideMark, sides } from './sides.tsx'

export interface Figure {
  label: string
  values: BothSides<ReactNode>
  /** Lengths of the bars below the values, from 0 to 1. */
  shares?: BothSides<number>
  /** "0.49 ×" */
  factor?: string | undefined
  /** "4.31 s shorter" */
  difference: string
}

/** The figures of both sides, one above the other, and in words what B has in comparison with A. */
export function FigureStrip({ label, figures }: { label: string; figures: Figure[] }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-x-6 gap-y-5 text-data tabular-nums max-sm:gap-x-4"
    >
      {figures.map(({ label: name, values, shares, factor, difference }) => (
        <div key={name} className="flex max-w-64 min-w-0 flex-col">
          <dt className="mb-1.5 text-meta text-soft">{name}</dt>
          {sides.map((side) => (
            <dd key={side} className="mb-1.5">
              <span className="flex items-baseline gap-2">
                <span className="text-meta text-soft">
                  <SideMark side={side} />
                </span>
                <span className="min-w-0 font-semibold wrap-anywhere">{values[side]}</span>
              </span>
              {shares && <Bar side={side} share={shares[side]} />}
            </dd>
          ))}
          <dd className="mt-auto border-t border-line pt-1 text-soft">
            {factor && <b className="mr-1.5 font-semibold text-ink">{factor}</b>}
            <span className="inline-block">{difference}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Bar({ side, share }: { side: Side; share: number }) {
  return (
    <span aria-hidden className="mt-0.5 block h-1 rounded-full bg-line">
      <span
        className={`block h-full min-w-[2px] rounded-full ${side === 'left' ? 'bg-series-1' : 'bg-series-2'}`}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  )
}

type Amount = number | null | undefined

export function amountFigure(label: string, quantity: keyof typeof quantities, left: Amount, right: Amount): Figure {
  const words = quantities[quantity]
  const most = Math.max(left ?? 0, right ?? 0)
  const hasBars = most > 0 && typeof left === 'number' && typeof right === 'number'
  return {
    label,
    values: { left: amountText(words, left), right: amountText(words, right) },
    ...(hasBars && { shares: { left: left / most, right: right / most } }),
    factor: factorText(left, right),
    difference: differenceText(words, left, right),
  }
}

/** Names instead of amounts. Null is unknown. */
export function nameFigure(label: string, left: string | null, right: string | null): Figure {
  return {
    label,
    values: { left: left ?? <Unknown />, right: right ?? <Unknown /> },
    difference: left === null && right === null ? 'unknown in both' : left === right ? 'same' : 'another one',
  }
}

export function statusFigure(left: 'ok' | 'error', right: 'ok' | 'error'): Figure {
  const difference = left === right ? 'same' : `${right === 'error' ? 'B' : 'only A'} failed`
  return { label: 'Status', values: { left: <Status status={left} />, right: <Status status={right} /> }, difference }
}

function Status({ status }: { status: 'ok' | 'error' }) {
  const Icon = status === 'ok' ? CircleCheck : TriangleAlert
  return (
    <span className={`inline-flex items-center gap-1 ${status === 'ok' ? 'text-good' : 'text-danger'}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {status === 'ok' ? 'ok' : 'failed'}
    </span>
  )
}

function Unknown() {
  return <span className="font-normal text-faint italic">unknown</span>
}

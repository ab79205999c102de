import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

export interface AxisLabel {
  /** Percent of the width, from 0 to 100. */
  at: number
  text: ReactNode
  key: string
  isStrong?: boolean
}

/** Labels below a plot. HTML and not SVG, so that they keep their size and font when the plot stretches. */
export function AxisLabels({ labels, className = '' }: { labels: AxisLabel[]; className?: string }) {
  return (
    <div aria-hidden className={`relative mt-1 h-4 text-[11px] leading-4 text-faint tabular-nums ${className}`}>
      {labels.map(({ at, text, key, isStrong }, index) => (
        <span
          key={key}
          className={classNames(
            'absolute whitespace-nowrap',
            anchorClass(at),
            isStrong && 'font-semibold text-ink',
            // A narrow column has room for every second label.
            labels.length > 6 && index % 2 === 1 && '@max-lg:hidden',
          )}
          style={{ left: `${at}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  )
}

/** A label at an end of the axis must not leave the plot. */
function anchorClass(at: number): string {
  if (at < 3) return ''
  return at > 97 ? '-translate-x-full' : '-translate-x-1/2'
}

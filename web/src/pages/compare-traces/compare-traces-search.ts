import { readText, type Search } from '../../routes/search-params.ts'
import { type StepFilter, stepFilters } from './align-steps.ts'

export interface CompareTracesSearch {
  /** The ids of the traces. */
  left: string | undefined
  right: string | undefined
  /** The selected step, by the ids of its spans. */
  leftSpan: string | undefined
  rightSpan: string | undefined
  show: StepFilter | undefined
}

export function readCompareTraces(search: Search): CompareTracesSearch {
  return {
    left: readText(search['left']),
    right: readText(search['right']),
    leftSpan: readText(search['leftSpan']),
    rightSpan: readText(search['rightSpan']),
    show: stepFilters.find((filter) => filter === search['show']),
  }
}

/** The same comparison with the traces on the other sides. */
export function swapped({ left, right, leftSpan, rightSpan, show }: CompareTracesSearch): CompareTracesSearch {
  const other = { both: 'both', left: 'right', right: 'left' } as const
  return { left: right, right: left, leftSpan: rightSpan, rightSpan: leftSpan, show: show && other[show] }
}

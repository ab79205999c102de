import type { Queries } from '../../storage/db.ts'
import type { AnnotationPolicy } from '../annotation-policy-queries.ts'
import type { Rater } from './lease-queries.ts'
import { countFullyRated, countNotArrived } from './queue-queries.ts'

type QueueState = {
  rater: Rater
  policy: AnnotationPolicy
  total: number
  rated: number
  /** How many traces are returned. */
  items: number
  skipped: number
}

/** The progress of the caller, with a summary. */
export async function describeQueue(q: Queries, { rater, policy, total, rated, items, skipped }: QueueState) {
  const { ratersPerItem } = policy
  const full = ratersPerItem === null || rated >= total ? 0 : await countFullyRated(q, rater, ratersPerItem)
  // Traces may be linked between the two counts.
  const remaining = Math.max(total - rated - full, items)
  const state = { remaining, rated, total }
  if (items > 0) return { ...state, summary: `You have rated ${rated} of ${total} traces; ${remaining} remain.` }
  if (total === 0) return { ...state, summary: 'This run has no traces.' }
  if (rated >= total) return { ...state, summary: `You have rated all ${total} traces of this run.` }
  if (remaining === 0) {
    const raters = ratersPerItem === 1 ? 'its rater' : `its ${ratersPerItem} raters`
    return { ...state, summary: `No traces are left for you: each trace that you have not rated has ${raters}.` }
  }
  const waiting = await countNotArrived(q, rater)
  const reasons = [
    waiting > 0 ? `${waiting} of the run’s traces have not arrived` : '',
    skipped > 0 ? `you skipped ${Math.min(skipped, remaining)}` : '',
    ratersPerItem !== null && remaining > waiting + skipped ? 'others are being rated by other users' : '',
  ].filter((reason) => reason !== '')
  const reasonText = reasons.length === 0 ? '' : `: ${reasons.join(', and ')}`
  return { ...state, summary: `No trace is available at the moment, although ${remaining} remain${reasonText}.` }
}

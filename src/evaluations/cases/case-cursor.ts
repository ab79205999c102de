import { cursorOf, isNumberOrNull, isText, type PositionIn } from '../../http/query-parameters.ts'

/** The order of cases: their own, or that of their score in one metric. */
export const CASE_SORTS = ['score', '-score'] as const
export type CaseSort = (typeof CASE_SORTS)[number]

/** The last case of a page. `value` is its score if the list is sorted by it. */
export const caseCursor = cursorOf({ ref: isText, value: isNumberOrNull })
export type CasePosition = PositionIn<typeof caseCursor>

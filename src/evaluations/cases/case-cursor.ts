import { badRequest } from '../../base/errors.ts'

/** The order of cases: their own, or that of their score in one metric. */
export const CASE_SORTS = ['score', '-score'] as const
export type CaseSort = (typeof CASE_SORTS)[number]

/** The last case of a page. `value` is its score if the list is sorted by it. */
export type CasePosition = { ref: string; value: number | null }

export function writeCaseCursor(sort: CaseSort | undefined, { ref, value }: CasePosition): string {
  return Buffer.from(JSON.stringify([sort ?? null, ref, value])).toString('base64url')
}

export function readCaseCursor(text: string, sort: CaseSort | undefined): CasePosition {
  const [of, ref, value] = parse(text)
  // No reference contains U+0000, and not every engine accepts it in a query.
  const isValid =
    typeof ref === 'string' &&
    !ref.includes('\0') &&
    (value === null || (typeof value === 'number' && Number.isFinite(value)))
  if (!isValid) throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
  if (of !== (sort ?? null))
    throw badRequest(
      'The query parameter cursor belongs to another sort; repeat the sort of the response that it is from',
    )
  return { ref, value }
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    // Not written by `writeCaseCursor`: rejected like any other value.
    return []
  }
}

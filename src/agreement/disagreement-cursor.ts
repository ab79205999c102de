import { badRequest } from '../base/errors.ts'
import type { Position } from './order-disagreements.ts'

/** The position of a disagreement as an opaque text. */
export function writeCursor({ steps, division, raters, ref }: Position): string {
  return Buffer.from(JSON.stringify([steps, division, raters, ref])).toString('base64url')
}

export function readCursor(cursor: string): Position {
  const [steps, division, raters, ref] = parse(cursor)
  const isValid =
    (steps === null || typeof steps === 'number') &&
    typeof division === 'number' &&
    typeof raters === 'number' &&
    typeof ref === 'string'
  if (!isValid) throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
  return { steps, division, raters, ref }
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    // Not written by `writeCursor`: rejected like any other value.
    return []
  }
}

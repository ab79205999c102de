import { type AppError, badRequest } from '../../base/errors.ts'
import { shortened } from '../../base/text.ts'

const MESSAGE_LENGTH_MAX = 400
const NEAR_LENGTH_MAX = 24

/** A part of the query, as offsets into its text. */
export type QueryPosition = { start: number; end: number }

/** A 400 error with the position of the problem. Characters are counted from 1. */
export function queryError(query: string, { start, end }: QueryPosition, problem: string): AppError {
  const near =
    start >= query.length ? 'at its end' : `near "${visible(shortened(query.slice(start, end), NEAR_LENGTH_MAX))}"`
  const message = `The query is invalid at character ${start + 1}, ${near}: ${problem}`
  return badRequest(shortened(message, MESSAGE_LENGTH_MAX))
}

/** Escapes control characters, some of which cannot be sent. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

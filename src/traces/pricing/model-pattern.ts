import { RE2JS } from 're2js'
import { badRequest } from '../../base/errors.ts'

export const PATTERN_LENGTH_MAX = 1_000
/** Repetitions are unrolled when a pattern is compiled; names of models need few of them. */
const REPETITIONS_MAX = 30

/**
 * Compiles a pattern that is compared with the whole name of a model, in any case. The engine takes time that is linear in the
 * length of the name, whatever the pattern is, and therefore knows neither look-around nor back-references.
 */
export function compileModelPattern(pattern: string): RE2JS {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw badRequest(`modelPattern must not be longer than ${PATTERN_LENGTH_MAX} characters`)
  }
  if (repetitionsIn(pattern) > REPETITIONS_MAX) {
    throw badRequest(`modelPattern must not count more than ${REPETITIONS_MAX} repetitions in braces`)
  }
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    throw badRequest(`modelPattern is not a pattern that can be used here: ${reasonOf(error)}`)
  }
}

/** `{2,5}` counts as 7; `\x{1F600}` is a character and counts nothing. */
function repetitionsIn(pattern: string): number {
  let sum = 0
  for (const [, least, most] of pattern.matchAll(/(?<!\\x)\{(\d+)(?:,(\d*))?\}/g))
    sum += Number(least) + Number(most ?? 0)
  return sum
}

/** The library's messages are for people, and tell nothing but what is wrong with the text that they gave. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/\(\?<?[=!]/.test(message)) return 'it looks ahead or behind'
  if (/invalid escape sequence: `\\\d/.test(message)) return 'it refers back to a group'
  return message.replace(/^error parsing regexp: /, '') || 'it cannot be read'
}

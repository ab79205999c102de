import { RE2JS } from 're2js'
import { badRequest } from '../../base/errors.ts'

export const PATTERN_LENGTH_MAX = 1_000
/** Repetitions are unrolled when a pattern is compiled, and names of models need few of them. */
const REPETITIONS_MAX = 30

/**
 * Compiles a pattern that must match the whole name of a model, case-insensitively. The engine runs in time linear in the length of the
 * name for every pattern, and therefore supports neither lookaround nor backreferences.
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

/** `{2,5}` counts as 7; `\x{1F600}` is a character and counts as 0. */
function repetitionsIn(pattern: string): number {
  let sum = 0
  for (const [, least, most] of pattern.matchAll(/(?<!\\x)\{(\d+)(?:,(\d*))?\}/g))
    sum += Number(least) + Number(most ?? 0)
  return sum
}

/** The library's messages are readable and describe only the given pattern. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/\(\?<?[=!]/.test(message)) return 'it looks ahead or behind'
  if (/invalid escape sequence: `\\\d/.test(message)) return 'it refers back to a group'
  return message.replace(/^error parsing regexp: /, '') || 'it cannot be read'
}

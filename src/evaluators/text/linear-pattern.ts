import { RE2JS } from 're2js'

const PATTERN_LENGTH_MAX = 1_000
/** Counted repetitions are unrolled when a pattern is compiled. */
const PROGRAM_SIZE_MAX = 2_000

export type LinearPattern = {
  /** Found anywhere. */
  test(text: string): boolean
  /** Found, and nothing else beside it. */
  testWhole(text: string): boolean
  /** Steps per character in the worst case. */
  size: number
}

export type PatternFlags = { ignoreCase?: boolean; multiline?: boolean; dotAll?: boolean }

/**
 * Compiles a pattern for an engine whose time is linear in the length of the text, whatever the pattern is, and which therefore
 * knows neither look-around nor back-references. Throws an Error whose message completes "The pattern …".
 */
export function linearPattern(pattern: string, flags: PatternFlags = {}): LinearPattern {
  if (pattern.length > PATTERN_LENGTH_MAX) throw new Error(`must not be longer than ${PATTERN_LENGTH_MAX} characters`)
  const compiled = compile(pattern, flags)
  const size = compiled.programSize()
  if (size > PROGRAM_SIZE_MAX) throw new Error('repeats too much: use smaller numbers in braces')
  return { test: (text) => compiled.test(text), testWhole: (text) => compiled.testExact(text), size }
}

function compile(pattern: string, { ignoreCase, multiline, dotAll }: PatternFlags): RE2JS {
  const bits =
    (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.MULTILINE : 0) | (dotAll ? RE2JS.DOTALL : 0)
  // The library takes it for the letter itself.
  if (/(?<!\\)(?:\\\\)*\\k/.test(pattern)) throw new Error('cannot be used: it refers back to a group')
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), bits)
  } catch (error) {
    throw new Error(`cannot be used: ${reasonOf(error)}`, { cause: error })
  }
}

/** The library's messages are for people, and tell nothing but what is wrong with the text that they gave. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/\(\?<?[=!]/.test(message)) return 'it looks ahead or behind'
  if (/invalid escape sequence: `\\\d/.test(message)) return 'it refers back to a group'
  return message.replace(/^error parsing regexp: /, '') || 'it cannot be read'
}

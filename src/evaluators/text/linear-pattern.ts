import { RE2JS } from 're2js'

const PATTERN_LENGTH_MAX = 1_000
/** Counted repetitions are unrolled at compile time. */
const PROGRAM_SIZE_MAX = 2_000

export type LinearPattern = {
  /** Whether the pattern matches anywhere. */
  test(text: string): boolean
  /** Whether the pattern matches the whole text. */
  testWhole(text: string): boolean
  /** Steps per character in the worst case. */
  size: number
}

export type PatternFlags = { ignoreCase?: boolean; multiline?: boolean; dotAll?: boolean }

/**
 * Compiles a pattern for an engine that runs in time linear in the length of the text for every pattern, and therefore
 * supports neither look-around nor back-references. Throws an Error whose message completes "The pattern …".
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
  // The library would interpret it as the letter k.
  if (/(?<!\\)(?:\\\\)*\\k/.test(pattern)) throw new Error('cannot be used: it refers back to a group')
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), bits)
  } catch (error) {
    throw new Error(`cannot be used: ${reasonOf(error)}`, { cause: error })
  }
}

/** The messages of the library are readable and contain only the user's own pattern. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/\(\?<?[=!]/.test(message)) return 'it looks ahead or behind'
  if (/invalid escape sequence: `\\\d/.test(message)) return 'it refers back to a group'
  return message.replace(/^error parsing regexp: /, '') || 'it cannot be read'
}

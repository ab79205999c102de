/**
 * A spreadsheet takes a cell that begins with one of these characters for a formula, and runs it. A quote in front makes it text
 * (ASVS 1.2.10). A text that begins with a quote gets one too, so that taking one away always gives back what was there.
 */
const NEEDS_GUARD = /^[=+\-@\t\r']/
const IS_GUARDED = /^'[=+\-@\t\r']/

export function guardCell(text: string): string {
  return NEEDS_GUARD.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return IS_GUARDED.test(text) ? text.slice(1) : text
}

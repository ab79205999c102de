/**
 * A spreadsheet runs a cell that starts with one of these characters as a formula. A leading quote makes it text (ASVS 1.2.10). A text
 * that starts with a quote also gets one, so that removing one quote always restores the original.
 */
const NEEDS_GUARD = /^[=+\-@\t\r']/
const IS_GUARDED = /^'[=+\-@\t\r']/

export function guardCell(text: string): string {
  return NEEDS_GUARD.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return IS_GUARDED.test(text) ? text.slice(1) : text
}

/** Texts of clients: to store, to shorten and to show them. */
const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\u001b\[[0-9;:?<=>]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const CONTROLS = new RegExp(`${CONTROL.source}+`, 'g')

/** Names and ids are indexed and shown in tables. An index would reject longer values, and they would not be readable. */
export const CLEAN_TEXT_LENGTH_MAX = 512

/** A name or id for display on one line: without terminal escape sequences, control and direction characters. */
export function cleanText(text: string): string {
  const cleaned = CONTROL.test(text) ? text.replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, ' ') : text
  const trimmed = cleaned.trim()
  return trimmed.length > CLEAN_TEXT_LENGTH_MAX ? trimmed.slice(0, CLEAN_TEXT_LENGTH_MAX).toWellFormed() : trimmed
}

/** Truncates without splitting a surrogate pair. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const cut = text.slice(0, lengthMax - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** `a, b and 3 more`: the first names of a list that may be long. */
export function firstNames(names: readonly string[], most: number): string {
  const rest = names.length - most
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Replaces what a database cannot store: U+0000 and unpaired surrogates become U+FFFD. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}

/** JSON cannot represent NaN and the infinities. */
export function storableNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

/** The same text without what a database cannot keep: U+0000 and halves of surrogate pairs become U+FFFD. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}

/** JSON has no word for these. */
export function storableNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

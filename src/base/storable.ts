/** Replaces what a database cannot store: U+0000 and unpaired surrogates become U+FFFD. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}

/** JSON cannot represent NaN and the infinities. */
export function storableNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

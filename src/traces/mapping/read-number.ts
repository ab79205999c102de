/** A number of tokens: whole, not negative, exact. Senders also write it as text and as a double. */
export function readCount(value: unknown): number | undefined {
  const number = readAmount(value)
  if (number === undefined) return undefined
  const rounded = Math.round(number)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}

/** An amount that is not negative. Absent is not 0: what was not told must never look free. */
export function readAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

/** What is larger is no number of tokens or dollars, and sums of a few such would not fit where sums are kept. */
const AMOUNT_MAX = 1e12

/** A number of tokens: whole, not negative, exact. Senders also write it as text and as a double. */
export function readCount(value: unknown): number | undefined {
  const number = readAmount(value)
  return number === undefined ? undefined : Math.round(number)
}

/** An amount that is not negative. Absent is not 0: what was not told must never look free. */
export function readAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number <= AMOUNT_MAX ? number : undefined
}

/** Larger values are not token counts or dollars, and a few of them would overflow the stored totals. */
const AMOUNT_MAX = 1e12

/** A token count: an exact, non-negative integer. Senders also send it as text or as a double. */
export function readCount(value: unknown): number | undefined {
  const number = readAmount(value)
  return number === undefined ? undefined : Math.round(number)
}

/** A non-negative amount. Absent is not 0: a missing value must never look free of charge. */
export function readAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number <= AMOUNT_MAX ? number : undefined
}

const DELIMITERS = [',', ';', '\t'] as const

export type Delimiter = (typeof DELIMITERS)[number]

const QUOTE = 0x22
const LINE_ENDS = [0x0a, 0x0d]

/** The delimiter that occurs most often in the header line, outside of quotes. A header without any is one column. */
export function detectDelimiter(bytes: Buffer): Delimiter {
  const counts = new Map<number, number>()
  let isQuoted = false
  for (const byte of bytes) {
    if (byte === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) continue
    // Empty lines before the header are skipped.
    else if (!LINE_ENDS.includes(byte)) counts.set(byte, (counts.get(byte) ?? 0) + 1)
    else if (counts.size > 0) break
  }
  const countOf = (delimiter: Delimiter) => counts.get(delimiter.charCodeAt(0)) ?? 0
  return DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best))
}

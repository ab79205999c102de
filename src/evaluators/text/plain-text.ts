/**
 * Normalizes a text for comparison: composed and decomposed letters (Unicode NFC), and the line endings of all
 * systems. Everything else is an option.
 */
export function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC')
}

/** Ignores case. Converts to upper and then lower case, so that ß equals ss and the three forms of sigma are equal. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** Returns the form in which texts are compared. */
export function comparable(text: string, { ignoreCase = false, trim = false }: Leniency): string {
  const trimmed = trim ? plain(text).trim() : plain(text)
  return ignoreCase ? foldCase(trimmed) : trimmed
}

export type Leniency = { ignoreCase?: boolean | undefined; trim?: boolean | undefined }

const SHOWN_MAX = 200

/** Formats a text for a message: on one line, with a bounded length. */
export function quoted(text: string): string {
  return oneLine(`“${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text}”`)
}

/** Shows two texts from shortly before their first difference, so that long texts do not look equal. */
export function expectedAndGot(expected: string, got: string): string {
  if (expected.length <= SHOWN_MAX && got.length <= SHOWN_MAX) return `expected ${quoted(expected)}, got ${quoted(got)}`
  const from = Math.max(0, partingOf(expected, got) - 40)
  if (from === 0) return `expected ${quoted(expected)}, got ${quoted(got)}`
  const [wanted, had] = [expected, got].map((text) => quoted(`…${text.slice(from)}`))
  return `from character ${from + 1} on expected ${wanted}, got ${had}`
}

function partingOf(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let index = 0
  while (index < end && a[index] === b[index]) index += 1
  return index
}

/**
 * Returns the text on one line and without U+0000 and unpaired surrogates, which not every engine can store: cutting a
 * text creates unpaired surrogates, and JSON can contain both.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ⏎ ')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
}

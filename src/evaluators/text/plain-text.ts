/**
 * How texts are compared and shown. What looks the same is the same: composed and decomposed letters (Unicode NFC), and the line
 * ends of all systems. Anything beyond that is an option.
 */
export function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC')
}

/** Without regard to case. There and back, so that ß is ss, and all three forms of sigma are one. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** The form in which texts are compared. */
export function comparable(text: string, { ignoreCase = false, trim = false }: Leniency): string {
  const trimmed = trim ? plain(text).trim() : plain(text)
  return ignoreCase ? foldCase(trimmed) : trimmed
}

export type Leniency = { ignoreCase?: boolean | undefined; trim?: boolean | undefined }

const SHOWN_MAX = 200

/** For a message: on one line, and not longer than people want to read. */
export function quoted(text: string): string {
  return oneLine(`“${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text}”`)
}

/** Shows two different texts from a little before the place where they part, so that long ones do not look alike. */
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

/** On one line, and so that every engine can store it: cutting leaves halves of characters, and JSON can spell whatever it likes. */
export function oneLine(text: string): string {
  return text
    .replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ⏎ ')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
}

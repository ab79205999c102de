/**
 * Finds phrases of training items in a proposed prompt. A prompt that quotes the items answers them better and new ones not, and items may
 * contain what must not be in a prompt.
 */
const WORDS = 8
const CHARACTERS = 40

/** Undefined if no eight words and no 40 characters in a row of the items are in the prompt, except those that were in it before. */
export function copiedPhrase(
  proposed: readonly string[],
  { items, start }: { items: readonly string[]; start: readonly string[] },
): string | undefined {
  const known = piecesOf(start)
  const own = new Set<string>()
  for (const piece of piecesOf(proposed)) if (!known.has(piece)) own.add(piece)
  for (const text of items) {
    for (const piece of eachPiece(text)) if (own.has(piece)) return piece
  }
  return undefined
}

function piecesOf(texts: readonly string[]): Set<string> {
  const pieces = new Set<string>()
  for (const text of texts) for (const piece of eachPiece(text)) pieces.add(piece)
  return pieces
}

/** Without regard to case, punctuation between words, and spaces. */
function* eachPiece(text: string): Generator<string> {
  const lower = text.normalize('NFKC').toLowerCase()
  const words = lower.match(/[\p{L}\p{N}]+/gu) ?? []
  for (let from = 0; from + WORDS <= words.length; from += 1) yield words.slice(from, from + WORDS).join(' ')
  const plain = lower.replace(/\s+/g, ' ').trim()
  for (let from = 0; from + CHARACTERS <= plain.length; from += 1) yield plain.slice(from, from + CHARACTERS)
}

/** The texts in a value of an item: of JSON its strings and not its notation. */
export function textsIn(value: string | null): string[] {
  if (value === null) return []
  if (!/^\s*[{["]/.test(value)) return [value]
  try {
    return stringsIn(JSON.parse(value))
  } catch {
    // Text that only begins like JSON.
    return [value]
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

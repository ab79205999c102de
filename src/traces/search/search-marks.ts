/**
 * The mark of an application in the index of texts: a trigram that no other text in the index contains. Searches require
 * it together with their text. Without it, the index would return and count the spans of all applications.
 */
import { createHash } from 'node:crypto'

/** Characters for private use, in the last plane of Unicode. Those in texts are excluded from the index. */
const MARKS = /[\u{100000}-\u{10FFFD}]/gu
const FIRST = 0x100000
const BITS = 15

export function markOf(workspaceId: string): string {
  const hash = createHash('sha256').update(workspaceId).digest()
  return [0, 2, 4].map((at) => String.fromCodePoint(FIRST + (hash.readUInt16BE(at) >> (16 - BITS)))).join('')
}

export function withoutMarks(text: string): string {
  return text.replace(MARKS, ' ')
}

export function hasMark(text: string): boolean {
  return text.search(MARKS) !== -1
}

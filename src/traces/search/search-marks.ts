/**
 * The mark of an application in the index of texts: three characters that no text in the index has otherwise, and so a trigram of its own.
 * A search asks for it together with its text. Without it the index would name, and count, the spans of all applications.
 */
import { createHash } from 'node:crypto'

/** Characters for private use, in the last plane of Unicode. Those of texts are left out of the index. */
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

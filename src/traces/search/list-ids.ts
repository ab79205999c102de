/**
 * Where the index keeps its lists of spans. One integer, and not a column for the segment and one for the trigram: comparing keys of
 * several columns, the engine reads the lists behind them, too, which are up to hundreds of kilobytes.
 */
import { createHash } from 'node:crypto'
import { TRIGRAM_COUNT, TRIGRAM_MASK } from './trigrams.ts'

/** Of a segment: one for each trigram, then one for each mark. */
export const LISTS_MAX = 2 * TRIGRAM_COUNT

export function listId(segment: number, trigramOrMark: number): number {
  return segment * LISTS_MAX + trigramOrMark
}

/**
 * The mark of an application: a number beyond those of trigrams, so that no text contains it. Searches require it together with their
 * text. Without it, the index would return and count the spans of all applications. Two applications may have the same mark, which only
 * adds candidates.
 */
export function markOf(workspaceId: string): number {
  return TRIGRAM_COUNT + (createHash('sha256').update(workspaceId).digest().readUInt32BE() & TRIGRAM_MASK)
}

export function isMark(trigramOrMark: number): boolean {
  return trigramOrMark >= TRIGRAM_COUNT
}

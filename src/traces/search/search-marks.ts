/**
 * The mark of an application in the index of texts: a number beyond those of trigrams, so that no text contains it. Searches require it
 * together with their text. Without it, the index would return and count the spans of all applications.
 */
import { createHash } from 'node:crypto'
import { TRIGRAM_COUNT } from './trigrams.ts'

export function markOf(workspaceId: string): number {
  return TRIGRAM_COUNT + createHash('sha256').update(workspaceId).digest().readUIntBE(0, 6)
}

import { diffWordsWithSpace } from 'diff'

export interface DiffPart {
  text: string
  side: 'both' | 'baseline' | 'candidate'
}

/** The words that differ. Undefined if the texts are so different that marking them would take too long. */
export function diffWords(baseline: string, candidate: string, timeoutMs: number): DiffPart[] | undefined {
  const changes = diffWordsWithSpace(baseline, candidate, { timeout: timeoutMs })
  return changes?.map(({ value, added, removed }) => ({
    text: value,
    side: added ? 'candidate' : removed ? 'baseline' : 'both',
  }))
}

/** Words between two changes that are this short are marked with them: a mark for each word is hard to read. */
const bridgeLength = 3

/** The text of one side, cut into parts that both sides have and parts that only this one has. */
export function partsOfSide(parts: DiffPart[], side: 'baseline' | 'candidate'): SidePart[] {
  const own = joinEqual(
    parts.flatMap(({ text, side: of }) => (of === 'both' || of === side ? [{ text, isMarked: of === side }] : [])),
  )
  const bridged = own.map((part, index) => {
    const isBetween = index > 0 && index < own.length - 1
    return isBetween && part.text.trim().length <= bridgeLength ? { ...part, isMarked: true } : part
  })
  return joinEqual(bridged)
}

interface SidePart {
  text: string
  isMarked: boolean
}

function joinEqual(parts: SidePart[]): SidePart[] {
  const joined: SidePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last?.isMarked === part.isMarked) last.text += part.text
    else joined.push({ ...part })
  }
  return joined
}

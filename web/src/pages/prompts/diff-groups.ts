import type { PromptDiff, PromptHunk } from '../../api/generated/api.ts'

type DiffMessage = PromptDiff['messages'][number]

/** Neighbors that are the same become one group; each other message is one of its own. */
export function groupMessages(messages: readonly DiffMessage[]): DiffMessage[][] {
  const groups: DiffMessage[][] = []
  for (const message of messages) {
    const last = groups.at(-1)
    if (message.change === 'same' && last?.[0]?.change === 'same') last.push(message)
    else groups.push([message])
  }
  return groups
}

/**
 * Words that were replaced one after the other as one change: a reader understands "first ask" in place of "then say", and not each
 * word in place of its neighbor. The spaces between them belong to both.
 */
export function mergeHunks(hunks: readonly PromptHunk[]): PromptHunk[] {
  const merged: PromptHunk[] = []
  let removed = ''
  let added = ''
  const end = () => {
    if (removed !== '') merged.push({ change: 'removed', text: removed })
    if (added !== '') merged.push({ change: 'added', text: added })
    removed = ''
    added = ''
  }
  for (const [index, { change, text }] of hunks.entries()) {
    if (change === 'removed') removed += text
    else if (change === 'added') added += text
    else if (/^[ \t]+$/.test(text) && removed !== '' && isReplaced(hunks, index + 1)) {
      removed += text
      added += text
    } else {
      end()
      merged.push({ change, text })
    }
  }
  end()
  return merged
}

/** Whether a text is removed there and another one added. */
function isReplaced(hunks: readonly PromptHunk[], index: number): boolean {
  return hunks[index]?.change === 'removed' && hunks[index + 1]?.change === 'added'
}

/** A removed text followed by an added one is one change. */
export function countChanges(hunks: readonly PromptHunk[]): number {
  return hunks.filter(({ change }, index) => {
    const continues = change === 'added' && hunks[index - 1]?.change === 'removed'
    return change !== 'same' && !continues
  }).length
}

type FoldedHunk = { change: PromptHunk['change'] | 'folded'; text: string }

/** So many lines that are the same are folded; fewer are shown, because the fold itself is a line. */
const FOLDED_LINES_MIN = 3

/** Lines that are the same and not next to a change become one hunk of their own. */
export function foldSame(hunks: readonly PromptHunk[]): FoldedHunk[] {
  return hunks.flatMap(({ change, text }, index): FoldedHunk[] => {
    if (change !== 'same') return [{ change, text }]
    const lines = text.split(/(?<=\n)/)
    // The line of a change, and one more around it.
    const first = index === 0 ? 0 : 2
    const last = index === hunks.length - 1 ? 0 : 2
    const folded = lines.slice(first, Math.max(first, lines.length - last))
    if (folded.filter((line) => line.trim() !== '').length < FOLDED_LINES_MIN) return [{ change, text }]
    const parts: FoldedHunk[] = [
      { change: 'same', text: lines.slice(0, first).join('') },
      { change: 'folded', text: folded.join('') },
      { change: 'same', text: lines.slice(lines.length - last).join('') },
    ]
    return parts.filter((part) => part.text !== '')
  })
}

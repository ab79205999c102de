type Hunk = { change: 'same' | 'removed' | 'added'; text: string }

/** The lines of a text that differ, before and after, from a difference by words. Lines that are the same are left out. */
export function changedLines(hunks: readonly Hunk[]): { removed: string[]; added: string[] } {
  const before = lineCollector()
  const after = lineCollector()
  for (const { change, text } of hunks) {
    if (change !== 'added') before.add(text, change === 'removed')
    if (change !== 'removed') after.add(text, change === 'added')
  }
  return { removed: before.changed(), added: after.changed() }
}

function lineCollector() {
  const lines: { text: string; isChanged: boolean }[] = [{ text: '', isChanged: false }]
  return {
    add(text: string, isChanged: boolean) {
      for (const [place, part] of text.split('\n').entries()) {
        if (place > 0) lines.push({ text: '', isChanged: false })
        const line = lines.at(-1)
        if (!line) continue
        line.text += part
        line.isChanged ||= isChanged
      }
    },
    changed: () => lines.filter(({ isChanged }) => isChanged).map(({ text }) => text),
  }
}

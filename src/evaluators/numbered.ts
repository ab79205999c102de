/** Lists of texts as lists of numbers, in which equal texts have equal numbers: to compare those costs the same, however long a text is. */
export function numbered(...lists: readonly (readonly string[])[]): number[][] {
  const ids = new Map<string, number>()
  return lists.map((texts) =>
    texts.map((text) => {
      const id = ids.get(text) ?? ids.size
      ids.set(text, id)
      return id
    }),
  )
}

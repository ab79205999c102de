/**
 * Maps lists of texts to lists of numbers, where equal texts have equal numbers: comparing numbers does not depend on
 * the length of the texts.
 */
export function internTexts(...lists: readonly (readonly string[])[]): number[][] {
  const ids = new Map<string, number>()
  return lists.map((texts) =>
    texts.map((text) => {
      const id = ids.get(text) ?? ids.size
      ids.set(text, id)
      return id
    }),
  )
}

/**
 * Names that are unique in their dataset, where the source allows several runs of the same name: the oldest keeps its name, the others get
 * their id. The result depends on the source alone, so that another import finds the same runs.
 */
export function distinctNames<Entry extends { id: string; name: string; createdAt: string | number }>(
  entries: readonly Entry[],
): Map<string, string> {
  const names = new Map<string, string>()
  const used = new Set<string>()
  const oldestFirst = [...entries].sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id))
  for (const { id, name } of oldestFirst) {
    const distinct = used.has(name) ? `${name} (${id})` : name
    used.add(distinct)
    names.set(id, distinct)
  }
  return names
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Names that several entries have: lists show more than the name for these. */
export function sharedNames(entries: readonly { name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { name } of entries) (seen.has(name) ? shared : seen).add(name)
  return shared
}

/** Names of a choice: an equal one has the end of its id, as it is shown with every id. */
export function distinctNames(entries: readonly { id: string; name: string }[]): ReadonlyMap<string, string> {
  const shared = sharedNames(entries)
  return new Map(entries.map(({ id, name }) => [id, shared.has(name) ? `${name} …${id.slice(-8)}` : name]))
}

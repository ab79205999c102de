/** Names that several entries have: lists show more than the name for these. */
export function sharedNames(entries: readonly { name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { name } of entries) (seen.has(name) ? shared : seen).add(name)
  return shared
}

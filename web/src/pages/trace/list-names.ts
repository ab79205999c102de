const conjunction = new Intl.ListFormat('en', { type: 'conjunction' })

const NAMES_MAX = 3

/** "Ben, Cleo and 4 others", with a comma before "and" from three entries on. */
export function listNames(names: readonly string[]): string {
  const shown = names.length > NAMES_MAX + 1 ? names.slice(0, NAMES_MAX) : names
  const rest = names.length - shown.length
  return conjunction.format(rest > 0 ? [...shown, `${rest} others`] : shown)
}

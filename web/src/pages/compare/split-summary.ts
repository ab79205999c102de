/**
 * "B is better than A on correct by 0.11 (95 % CI 0.05 to 0.17, 184 items)." is the line and what follows it. The interval is
 * found by its form, because the name of a run may have parentheses, too.
 */
export function splitSummary(summary: string): { headline: string; rest: string } {
  const [, before, inside, margin = '', after = ''] = FORM.exec(summary) ?? []
  if (before === undefined || inside === undefined) return splitSentence(summary)
  const more = after.replace(/^[.:;]\s*/, '').trim()
  // What followed a semicolon begins a sentence here.
  const next = more.charAt(0).toUpperCase() + more.slice(1)
  return { headline: `${before}${margin}.`, rest: [inside, next].filter(Boolean).join('. ').replace(/\.?$/, '.') }
}

/** Before the interval, the interval with its items, by how much less than the margin, and what follows. */
const FORM =
  /^(.*?) \(((?:95 % CI )?[−\d.]+ to [−\d.]+(?: ×)?,(?: corrected for [^,()]+,)? \d+ (?:of \d+ )?items?[^)]*)\)(, which is less than the margin of [\d.]+(?: ×)?(?=\.(?: |$)))?(.*)$/s

function splitSentence(summary: string): { headline: string; rest: string } {
  const end = summary.indexOf('. ')
  return end < 0
    ? { headline: summary, rest: '' }
    : { headline: summary.slice(0, end + 1), rest: summary.slice(end + 2) }
}

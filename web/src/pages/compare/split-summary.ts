/**
 * "B is better on correct by 0.11 (95 % CI 0.05 to 0.17, 184 items)." is the line and what follows it. The interval is
 * found by its form, because the name of a run may have parentheses, too.
 */
export function splitSummary(summary: string): { headline: string; rest: string } {
  const [, headline, inside, after = ''] =
    /^(.*?) \(((?:95 % CI )?[−\d.]+ to [−\d.]+, \d+ items?[^)]*)\)(.*)$/s.exec(summary) ?? []
  if (headline === undefined || inside === undefined) return splitSentence(summary)
  const more = after.replace(/^[.:;]\s*/, '').trim()
  return { headline: `${headline}.`, rest: [inside, more].filter(Boolean).join('. ').replace(/\.?$/, '.') }
}

function splitSentence(summary: string): { headline: string; rest: string } {
  const end = summary.indexOf('. ')
  return end < 0
    ? { headline: summary, rest: '' }
    : { headline: summary.slice(0, end + 1), rest: summary.slice(end + 2) }
}

/** The text of a comment that stands for a score or a rating of another tool. */

export interface Feedback {
  name: string
  label?: string | undefined
  score?: number | boolean | undefined
  explanation?: string | undefined
  /** Who or what gave it: `human alice`, `model gpt-4o`. */
  by?: string | undefined
  /** Of the source. Comments are known by their text, so it distinguishes feedback that is otherwise the same. */
  at?: string | undefined
}

/**
 * Ratings of the source become comments and not ratings: a rating belongs to the account that gave it, and an import has one account.
 */
export function feedbackText(tool: string, { name, label, score, explanation, by, at }: Feedback): string {
  const value = label === undefined ? String(score ?? 'no value') : score === undefined ? label : `${label} (${score})`
  const origin = [by, tool, at].filter((part) => part !== undefined).join(', ')
  return `${name}: ${value}${explanation ? `\n${explanation}` : ''}\n(${origin})`
}

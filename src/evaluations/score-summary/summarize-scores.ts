import { shortened } from '../../base/text.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { countErrors, countScores, listErrors, listValues, type ScoreState } from './score-summary-queries.ts'

/** How many distinct messages are read. Those of one cause usually have one pattern. */
const MESSAGES_MAX = 10_000
const GROUPS_MAX = 50
/** Ratings from 1 to 5 and labels have few values; the shares of an embedding have not. */
const VALUES_MAX = 20

/** A group of scores. Fields that its scores do not have in common are null. */
type ScoreGroup = {
  evaluator: string
  state: ScoreState
  /** Why there is no score: the message, or what the messages have in common. */
  error: string | null
  score: number | null
  label: string | null
  passed: boolean | null
  count: number
  /** One of the scores, by its case. */
  example: { caseId: string; error: string; attempts: number } | null
}

type Withheld = { withheld: readonly string[] }

/** Groups scores that failed, were skipped or are retried by reason, most frequent first. `others` counts the remaining scores. */
export async function summarizeErrors(
  q: Queries,
  scope: EvaluationScope,
  { withheld }: Withheld,
): Promise<{ data: ScoreGroup[]; others: number }> {
  const messages = await listErrors(q, scope, { withheld, limit: MESSAGES_MAX })
  const total = await countErrors(q, scope, { withheld })
  const groups = new Map<string, ScoreGroup>()
  for (const { evaluator, state, reason, count, attempts, caseRef } of messages) {
    const message = reason ?? 'no reason given'
    const pattern = errorPattern(message)
    const key = JSON.stringify([evaluator, state, pattern])
    const example = { caseId: caseRef, error: message, attempts }
    const known = groups.get(key)
    if (!known) {
      const error = message.length > ERROR_LENGTH_MAX ? pattern : message
      groups.set(key, { evaluator, state, error, score: null, label: null, passed: null, count, example })
      continue
    }
    known.error = pattern
    known.count += count
    if (known.example && caseRef < known.example.caseId) known.example = example
  }
  const data = [...groups.values()].sort(byRelevance).slice(0, GROUPS_MAX)
  const shown = data.reduce((sum, { count }) => sum + count, 0)
  return { data, others: Math.max(0, total - shown) }
}

/** What failed comes before what is tried again, and both before what had nothing to score. */
const RELEVANCE: Partial<Record<ScoreState, number>> = { failed: 0, retrying: 1, skipped: 2 }

function byRelevance(a: ScoreGroup, b: ScoreGroup): number {
  return (
    (RELEVANCE[a.state] ?? 0) - (RELEVANCE[b.state] ?? 0) ||
    b.count - a.count ||
    compare(a.evaluator, b.evaluator) ||
    compare(a.error ?? '', b.error ?? '')
  )
}

/** Groups all scores by state, outcome, value and label. Withheld ones are reported as scored, as everywhere. */
export async function summarizeValues(
  q: Queries,
  scope: EvaluationScope,
  { withheld }: Withheld,
): Promise<{ data: ScoreGroup[]; others: number }> {
  const rows = await listValues(q, scope, { withheld, valuesMax: VALUES_MAX })
  const none = { error: null, score: null, label: null, passed: null, example: null }
  const open = rows.map(({ passed, ...row }) => ({ ...none, ...row, passed: passed === null ? null : passed === 1 }))
  const hidden = (await countScores(q, scope, withheld)).map((row) => ({ ...none, ...row, state: 'scored' as const }))
  return { data: [...open, ...hidden].sort(byValue), others: 0 }
}

function byValue(a: ScoreGroup, b: ScoreGroup): number {
  return (
    compare(a.evaluator, b.evaluator) ||
    compare(a.state, b.state) ||
    Number(a.passed ?? -1) - Number(b.passed ?? -1) ||
    (a.score ?? 0) - (b.score ?? 0) ||
    compare(a.label ?? '', b.label ?? '')
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Longer messages are cut. */
export const ERROR_LENGTH_MAX = 500

const WORD = /[\w-]+(?:[.:][\w-]+)*/g
/** The status of an HTTP response is the reason itself. */
const ERROR_STATUS = /^[45]\d\d$/

/**
 * What messages with the same cause have in common: words with digits, such as ids, numbers and times, become "…". The
 * pattern of a pattern is the pattern itself, so clients can send it back as a filter.
 */
export function errorPattern(message: string): string {
  const common = message.replace(WORD, (word) => (/\d/.test(word) && !ERROR_STATUS.test(word) ? '…' : word))
  return shortened(common, ERROR_LENGTH_MAX)
}

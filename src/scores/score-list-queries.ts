import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { listPage } from '../storage/list-page.ts'
import type { Tables } from '../storage/tables.ts'
import { type EvaluationScope, scoresOf } from './score-queries.ts'

type State = Tables['evaluation_scores']['state']

type ScoreRowFilter = {
  state?: State
  evaluator?: string
  /** Evaluators whose results the reader must not see. */
  withheld: readonly string[]
}

/** A page of scores ordered by case, evaluator and repetition. */
export async function listScoreRows(
  q: Queries,
  of: EvaluationScope,
  { state, evaluator, withheld, limit, offset }: ScoreRowFilter & Page,
) {
  let scores = scoresOf(q, of).selectAll()
  if (state !== undefined) scores = scores.where((score) => isShownAs(score, state, withheld))
  if (evaluator !== undefined) scores = scores.where('evaluator', '=', evaluator)
  const inOrder = scores.orderBy('case_ref').orderBy('evaluator').orderBy('repetition')
  return listPage(q, inOrder, { limit, offset })
}

/** Withheld scores are reported as scored in any state: the state alone would reveal which traces have ratings. */
function isShownAs(
  score: ExpressionBuilder<Tables, 'evaluation_scores'>,
  state: State,
  withheld: readonly string[],
): Expression<SqlBool> {
  const isInState = score('state', '=', state)
  if (withheld.length === 0) return isInState
  if (state === 'scored') return score.or([isInState, score('evaluator', 'in', withheld)])
  return score.and([isInState, score('evaluator', 'not in', withheld)])
}

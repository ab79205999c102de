import { badRequest } from '../base/errors.ts'
import { SCORE_STATES, type ScoreFilter } from '../scores/list-scores.ts'

export function readDryRun({ dry_run: text }: { dry_run?: string | undefined }): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw badRequest('The query parameter dry_run must be true or false')
}

/** Whether the estimate of a dry run includes the gate. */
export function readInclude({ include }: { include?: string | undefined }, dryRun: boolean): boolean {
  if (include === undefined) return false
  if (include !== 'gate') throw badRequest('The query parameter include must be gate')
  if (!dryRun) throw badRequest('The query parameter include needs dry_run=true')
  return true
}

export function readScoreFilter({
  state,
  evaluator,
}: {
  state?: string | undefined
  evaluator?: string | undefined
}): ScoreFilter {
  const known = SCORE_STATES.find((one) => one === state)
  if (state !== undefined && known === undefined)
    throw badRequest(`The query parameter state must be one of ${SCORE_STATES.join(', ')}`)
  if (evaluator === '') throw badRequest('The query parameter evaluator must not be empty')
  // No name contains U+0000, and not every engine accepts it in a query.
  if (evaluator?.includes('\0')) throw badRequest('The query parameter evaluator must not contain the character U+0000')
  return { ...(known ? { state: known } : {}), ...(evaluator === undefined ? {} : { evaluator }) }
}

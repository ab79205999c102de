import type { EvaluationDetail, ScoreGroup } from '../../api/generated/api.ts'

/** How many scores of external evaluators are in a state, by evaluator; those without any are excluded. */
export function countExternalScores(
  { config: { evaluators } }: Pick<EvaluationDetail, 'config'>,
  groups: readonly ScoreGroup[],
  state: ScoreGroup['state'],
): Map<string, number> {
  const external = (Array.isArray(evaluators) ? evaluators : [])
    .map((one): Record<string, unknown> => Object(one))
    .filter(({ type }) => type === 'external')
    .map(({ type, name = type }) => String(name))
  const counts = new Map<string, number>()
  for (const group of groups) {
    if (group.state !== state || !external.includes(group.evaluator)) continue
    counts.set(group.evaluator, (counts.get(group.evaluator) ?? 0) + group.count)
  }
  return counts
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

import { listDatasetEvaluations } from '../agreement/agreement-queries.ts'
import { compareJudges } from '../agreement/compare-judges.ts'
import { isVisibleTo, listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import { NIL_ID } from '../base/ids.ts'
import type { Evaluator } from '../evaluators/evaluator.ts'
import type { Queries } from '../storage/db.ts'

/** Below this, a judge and people agree too little for the judge to stand for them. */
const KAPPA_MIN = 0.4

/** What is known about the judges on this dataset: a search finds what pleases its judge, also where people disagree with it. */
export async function judgeWarnings(
  q: Queries,
  { workspaceId, datasetId, evaluators }: { workspaceId: string; datasetId: string; evaluators: readonly Evaluator[] },
): Promise<string[]> {
  if (evaluators.length === 0) return []
  const evaluations = await listDatasetEvaluations(q, { workspaceId, datasetId })
  // All readers get the same warnings, so that ratings of blind runs, which some may not know, do not count.
  const isVisible = isVisibleTo(NIL_ID, await listBlindRuns(q, { workspaceId, readerId: NIL_ID }))
  const judges = await compareJudges(q, { workspaceId, isVisible }, evaluations)
  return evaluators.flatMap(({ name }) => {
    const kappa = judges.find(({ evaluator }) => evaluator === name)?.kappa ?? null
    if (kappa === null)
      return [
        `How well ${name} agrees with people is unknown; rate some answers of an evaluation with it, because a search finds what pleases its judge`,
      ]
    if (kappa >= KAPPA_MIN) return []
    return [
      `${name} agrees with people only to κ = ${kappa.toFixed(2)} (at least ${KAPPA_MIN} is advised); improve its instructions first`,
    ]
  })
}

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComparedPair } from '../../api/comparison-query.ts'
import { evaluationQuery } from '../../api/components-query.ts'
import type { Comparison } from '../../api/generated/api.ts'
import { useStartEvaluation } from '../../api/new-evaluation-query.ts'
import { loadPart } from '../../api/server-connection.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

interface EvaluateSameWayProps {
  pair: ComparedPair
  comparison: Comparison
  titleOf: (runId: string, name: string | null) => string
}

type Evaluate = NonNullable<Comparison['notCompared'][number]['evaluate']>

/** The metrics that only one of the runs has, or that were configured differently, each with the evaluation that is missing. */
export function EvaluateSameWay({ pair, comparison, titleOf }: EvaluateSameWayProps) {
  const missing = comparison.notCompared.flatMap(({ name, evaluate }) => (evaluate ? [{ name, evaluate }] : []))
  if (missing.length === 0) return null
  const groups = Map.groupBy(missing, ({ evaluate }) => `${evaluate.runId} ${evaluate.evaluationId}`)
  const nameOf = (runId: string) => {
    const { baseline, candidate } = comparison
    return titleOf(runId, runId === baseline.runId ? baseline.name : candidate.name)
  }
  return (
    <ul aria-label="What is not compared yet" className="mt-4 flex flex-col gap-2">
      {[...groups].map(([key, group]) =>
        group
          .slice(0, 1)
          .map(({ evaluate }) => (
            <MissingEvaluation
              key={key}
              pair={pair}
              names={group.map(({ name }) => name)}
              evaluate={evaluate}
              runTitle={nameOf(evaluate.runId)}
            />
          )),
      )}
    </ul>
  )
}

interface MissingEvaluationProps {
  pair: ComparedPair
  names: string[]
  evaluate: Evaluate
  runTitle: string
}

/** Starts the evaluation without a baseline and a gate, which belong to the other run, and leads to it. */
function MissingEvaluation({ pair, names, evaluate, runTitle }: MissingEvaluationProps) {
  const { applicationId, componentId } = pair
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const start = useStartEvaluation(applicationId, componentId)
  const disabledReason = missingRole(useMe(), 'editor', 'Evaluating')
  const repeat = useSubmission({
    mutationFn: async () => {
      const key = { applicationId, componentId, evaluationId: evaluate.evaluationId }
      const { datasetId, config } = await queryClient.fetchQuery(evaluationQuery(key))
      const { compareWith } = await loadPart(() => import('../new-evaluation/evaluation-draft.ts'))
      return start.mutateAsync({ datasetId, runId: evaluate.runId, config: compareWith(config, undefined) })
    },
    onSuccess: (id) => id && navigate({ to: pagePaths.evaluation(applicationId, componentId, id) }),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-control border border-line px-3.5 py-2.5 text-data">
      <p className="min-w-0 flex-1 break-words">
        <b className="font-semibold">{names.join(', ')}</b> {names.length === 1 ? 'is' : 'are'} not compared: the two
        runs were not evaluated the same way.
      </p>
      <Button size="small" isBusy={repeat.isPending} disabledReason={disabledReason} onClick={() => repeat.mutate()}>
        Evaluate {runTitle} the same way
      </Button>
      {repeat.error && <ErrorNotice message={repeat.error.message} />}
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { type EvaluationKey, evaluationQuery } from '../../api/components-query.ts'

/** Why an evaluation failed. The list does not carry it, so it is asked for, only for those that did. */
export function EvaluationFailure(props: EvaluationKey) {
  const { data } = useQuery(evaluationQuery(props))
  if (!data?.error) return null
  return <p className="mt-1 max-w-md text-sm text-soft text-pretty">{data.error}</p>
}

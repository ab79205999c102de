import { useQuery } from '@tanstack/react-query'
import { type EvaluationKey, evaluationQuery } from '../../api/components-query.ts'

/** The error of a failed evaluation. Lists do not have it, so it is fetched for failed ones only. */
export function EvaluationFailure(props: EvaluationKey) {
  const { data } = useQuery(evaluationQuery(props))
  if (!data?.error) return null
  return <p className="mt-1 max-w-md text-data text-soft text-pretty">{data.error}</p>
}

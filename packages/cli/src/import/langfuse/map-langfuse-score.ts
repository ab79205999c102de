import { feedbackText } from '../feedback-text.ts'
import type { ImportedScore } from '../import-record.ts'
import { present, timeOf } from '../source-values.ts'
import type { LangfuseScore } from './langfuse-version.ts'
import { traceIdOf } from './map-langfuse-trace.ts'

export const LANGFUSE = 'Langfuse'

/** The score of a case of a run. */
export function langfuseScore(traceId: string, { name, value, comment }: LangfuseScore): ImportedScore {
  return present({
    traceId: traceIdOf(traceId),
    evaluator: name,
    score: typeof value === 'number' ? value : undefined,
    passed: typeof value === 'boolean' ? value : undefined,
    label: typeof value === 'string' ? value : undefined,
    reason: comment,
  })
}

export function langfuseComment({ name, value, comment, source, at }: LangfuseScore): string {
  return feedbackText(LANGFUSE, {
    name,
    label: typeof value === 'string' ? value : undefined,
    score: typeof value === 'string' ? undefined : value,
    explanation: comment,
    by: source === 'ANNOTATION' ? 'human' : source === 'EVAL' ? 'evaluator' : 'API',
    at: timeOf(at),
  })
}

import type { ModelSummary } from '../traces/list-fields.ts'
import { toTraceSummary } from '../traces/trace-summary.ts'
import type { TraceDetails } from './trace-row-queries.ts'

type RowParts = {
  /** For a trace that is stored without its models. */
  models: (ModelSummary & { hasAllModels: boolean }) | undefined
  /** As JSON. Undefined parts were not requested. */
  preview: string | undefined
  ratings: readonly unknown[] | undefined
  scores: readonly unknown[] | undefined
}

/** Writes a row as JSON. Tags, models and previews are stored as JSON, and parsing them only to write them again costs more than the rest. */
export function writeTraceRow(trace: TraceDetails, { models, preview, ratings, scores }: RowParts): string {
  const { sessionId, userId, service, environment, tags, spanCount, errorCount, modelSummary } = trace
  const columns = JSON.stringify({ ...toTraceSummary(trace), sessionId, userId, service, environment })
  const ofModels = models ? membersOf(JSON.stringify(models)) : `${membersOf(modelSummary ?? '{}')},"hasAllModels":true`
  return (
    `${columns.slice(0, -1)},"tags":${tags},"spanCount":${spanCount},"errorCount":${errorCount},${ofModels}` +
    (preview === undefined ? '' : `,"preview":${preview}`) +
    (ratings === undefined ? '' : `,"ratings":${JSON.stringify(ratings)}`) +
    (scores === undefined ? '}' : `,"scores":${JSON.stringify(scores)}}`)
  )
}

/** The members of a JSON object, without its braces. */
function membersOf(json: string): string {
  return json.slice(1, -1)
}

import { hash } from 'node:crypto'
import { rootSpanIdOf } from '../../ingestion/native-trace.ts'

export type CallAttempt = { trialId: string; variant: number; itemId: string; repetition: number; attempt: number }

/**
 * The id of the trace of a call, always the same for an attempt: a worker that sends it by OTLP has returned the answer, even if its
 * request is lost. Each attempt has its own, so that the trace of a worker that was too slow is never that of another one.
 */
export function callTraceId({ trialId, variant, itemId, repetition, attempt }: CallAttempt): string {
  const names = [trialId.toLowerCase(), variant, itemId.toLowerCase(), repetition, attempt]
  return hash('sha256', names.join('\n'), 'hex').slice(0, 32)
}

/** As the header of W3C Trace Context: spans that continue it are below the root that the server writes. */
export function traceParentOf(traceId: string): string {
  return `00-${traceId}-${rootSpanIdOf(traceId)}-01`
}

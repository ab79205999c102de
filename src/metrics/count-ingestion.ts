import type { Ingest } from '../ingestion/ingest-spans.ts'
import type { Receiver } from '../ingestion/otlp/receive-traces.ts'
import type { Metrics } from './create-metrics.ts'

/** Counts the spans that are stored, from every protocol. */
export function withCountedSpans(ingest: Ingest, metrics: Metrics): Ingest {
  return async (to, read) => {
    let received = { spans: 0, rejected: 0 }
    const outcome = await ingest(to, async (keep) => {
      const batch = await read(keep)
      // Assigned, not added: a transaction that fails to serialize reads the batch again.
      received = { spans: batch.spans.length, rejected: batch.rejectedCount }
      return batch
    })
    const rejected = outcome.rejectedCount
    metrics.countSpans({ stored: received.spans - (rejected - received.rejected), rejected })
    return outcome
  }
}

/** Counts the batches that arrive by OTLP, over HTTP and gRPC. */
export function withCountedBatches(receiver: Receiver, metrics: Metrics): Receiver {
  return {
    ...receiver,
    async store(principal, batch) {
      const outcome = await receiver.store(principal, batch)
      metrics.countBatch(batch.bytes)
      return outcome
    },
    failure(error, requestId) {
      const reported = receiver.failure(error, requestId)
      metrics.countFailedBatch(reported.status)
      return reported
    },
  }
}

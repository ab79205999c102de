/** Reads an OTLP/JSON logs request. */

import { runInSlices } from '../../../base/event-loop.ts'
import type { ReceivedEvents, ReceivedSpanEvent } from '../../../traces/storing/received-span.ts'
import { OBJECT_COST } from '../batch-draft.ts'
import { LogBatch } from '../log-records.ts'
import { parseRequest } from './decode-traces.ts'
import { bigintOf, type Fields, idOf, listOf, objectOf, textOf } from './fields.ts'
import { JsonValues } from './values.ts'

const RECORDS_BETWEEN_PAUSES = 100

export async function decodeLogsJson<Kept>(
  bytes: Buffer,
  keep: (event: ReceivedSpanEvent) => Kept,
): Promise<ReceivedEvents<Kept>> {
  return runInSlices(readRequest(await parseRequest(bytes), new LogBatch(keep)))
}

/** Resources and scopes are not read: an event has those of its span. */
function* readRequest<Kept>(request: unknown, batch: LogBatch<Kept>): Generator<void, ReceivedEvents<Kept>> {
  const values = new JsonValues(batch.limits)
  let recordCount = 0
  for (const resourceLogs of listOf(objectOf(request, 'the body').resourceLogs, 'resourceLogs')) {
    batch.limits.spend(OBJECT_COST)
    for (const scopeLogs of listOf(objectOf(resourceLogs, 'an entry of resourceLogs').scopeLogs, 'scopeLogs')) {
      batch.limits.spend(OBJECT_COST)
      for (const record of listOf(objectOf(scopeLogs, 'an entry of scopeLogs').logRecords, 'logRecords')) {
        readRecord(objectOf(record, 'an entry of logRecords'), batch, values)
        recordCount += 1
        if (recordCount % RECORDS_BETWEEN_PAUSES === 0) yield
      }
    }
  }
  return batch.finish()
}

function readRecord<Kept>(fields: Fields, batch: LogBatch<Kept>, values: JsonValues): void {
  const { limits } = batch
  limits.beginRecord()
  limits.spend(OBJECT_COST)
  batch.add({
    traceId: idOf(fields.traceId),
    spanId: idOf(fields.spanId),
    eventName: limits.cutName(limits.clean(textOf(fields.eventName, 'eventName')), 'name of an event'),
    timeNs: bigintOf(fields.timeUnixNano, 'timeUnixNano'),
    observedNs: bigintOf(fields.observedTimeUnixNano, 'observedTimeUnixNano'),
    attributes: new Map(values.attributes(fields.attributes)),
    body: values.value(fields.body),
  })
}

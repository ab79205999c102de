import { context, type Tracer, trace } from '@opentelemetry/api'
import type { DatasetItem } from '../generated/api.ts'
import { attributeText } from '../tracing/attribute-text.ts'
import { recordError } from '../tracing/record-error.ts'

export interface TaskResult<Output> {
  item: DatasetItem
  traceId: string
  output: Output | undefined
  error: string | undefined
  durationMs: number
}

export interface TaskLinks {
  tracer: Tracer
  name: string
  componentName: string
  runId: string
}

/** Runs the task of one item in a trace that is linked to the item and the run. Never rejects: what the task throws is data. */
export async function runTask<Output>(
  item: DatasetItem,
  { tracer, name, componentName, runId }: TaskLinks,
  task: (item: DatasetItem) => Output | Promise<Output>,
): Promise<TaskResult<Output>> {
  const span = tracer.startSpan(name, {
    // A trace for each item, also if the program is being traced itself.
    root: true,
    attributes: {
      'touchstone.component': componentName,
      'touchstone.run': runId,
      'touchstone.item.id': item.id,
      'touchstone.input': item.input ?? '',
    },
  })
  const startedAt = performance.now()
  const end = (output: Output | undefined, error: string | undefined): TaskResult<Output> => {
    span.end()
    return { item, traceId: span.spanContext().traceId, output, error, durationMs: performance.now() - startedAt }
  }
  try {
    const output = await context.with(trace.setSpan(context.active(), span), async () => task(item))
    const text = attributeText(output)
    if (text !== undefined) span.setAttribute('touchstone.output', text)
    return end(output, undefined)
  } catch (error) {
    return end(undefined, recordError(span, error))
  }
}

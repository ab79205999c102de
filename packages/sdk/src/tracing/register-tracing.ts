import { context, TraceFlags, type TracerProvider, trace } from '@opentelemetry/api'
import { provideActiveSpan, provideContinuation } from '../active-span.ts'
import { createAsyncContextManager } from './async-context-manager.ts'

export interface Registration {
  /** False if the program has another provider: its spans go there. */
  isGlobal: boolean
  /** Removes what was registered, and nothing of others. */
  remove(): void
}

/** Only a span that is recorded: others have no trace. */
export function useActiveSpan(): void {
  provideActiveSpan(() => {
    const span = trace.getActiveSpan()
    return span?.isRecording() ? span : undefined
  })
  provideContinuation((traceparent, work) => {
    const [, traceId = '', spanId = ''] = traceparent.split('-')
    const parent = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
    return context.with(trace.setSpanContext(context.active(), parent), work)
  })
}

/** Makes a provider that of the whole program, with what carries the current span through its promises. */
export function registerTracing(provider: TracerProvider): Registration {
  useActiveSpan()
  const isGlobal = trace.setGlobalTracerProvider(provider)
  const hasContext = context.setGlobalContextManager(createAsyncContextManager())
  return {
    isGlobal,
    remove() {
      if (isGlobal) trace.disable()
      if (hasContext) context.disable()
    },
  }
}

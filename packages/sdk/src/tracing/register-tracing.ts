import { context, type TracerProvider, trace } from '@opentelemetry/api'
import { createAsyncContextManager } from './async-context-manager.ts'

export interface Registration {
  /** False if the program has another provider: its spans go there. */
  isGlobal: boolean
  /** Removes what was registered, and nothing of others. */
  remove(): void
}

/** Makes a provider that of the whole program, with what carries the current span through its promises. */
export function registerTracing(provider: TracerProvider): Registration {
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

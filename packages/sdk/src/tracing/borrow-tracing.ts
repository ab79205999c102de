import { type Tracer, trace } from '@opentelemetry/api'
import type { ClientSettings } from '../client-options.ts'
import { activeTracing } from './init.ts'
import { type Registration, registerTracing } from './register-tracing.ts'
import { createTracingPipeline, type TracingPipeline } from './tracing-pipeline.ts'

export interface BorrowedTracing {
  tracer: Tracer
  flush(): Promise<void>
  giveBack(): Promise<void>
}

interface Shared {
  pipeline: TracingPipeline
  settings: ClientSettings
  users: number
  registration: Registration
}

let shared: Shared | undefined

/**
 * Tracing for the duration of an evaluation: that of `init` if it sends to the same server, else one of its own. Where the program has
 * another provider, only the spans of the tasks are sent to Touchstone, and the spans below them to where the program sends them.
 */
export function borrowTracing(settings: ClientSettings): BorrowedTracing {
  const started = activeTracing(settings.baseUrl)
  if (started) {
    return { tracer: trace.getTracer('touchstone-sdk'), flush: started.flush, giveBack: started.flush }
  }
  const isSame = shared?.settings.baseUrl === settings.baseUrl && shared.settings.apiKey === settings.apiKey
  const used = shared && isSame ? shared : startPipeline(settings)
  used.users++
  return {
    tracer: used.pipeline.provider.getTracer('touchstone-sdk'),
    flush: used.pipeline.flush,
    giveBack: () => endIfUnused(used),
  }
}

function startPipeline(settings: ClientSettings): Shared {
  const pipeline = createTracingPipeline(settings, { 'service.name': 'touchstone-sdk' })
  const started = { pipeline, settings, users: 0, registration: registerTracing(pipeline.provider) }
  shared ??= started
  return started
}

async function endIfUnused(used: Shared): Promise<void> {
  used.users--
  if (used.users > 0) return used.pipeline.flush()
  if (shared === used) shared = undefined
  used.registration.remove()
  await used.pipeline.shutdown()
}

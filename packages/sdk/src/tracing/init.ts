import { setTimeout as delay } from 'node:timers/promises'
import { type ClientSettings, readClientSettings, type TouchstoneOptions } from '../client-options.ts'
import { beforeEndBySignal } from '../end-at-signal.ts'
import { ApiError } from '../sdk-errors.ts'
import { Touchstone } from '../touchstone.ts'
import { warnOnce } from '../warn-once.ts'
import { type Instrumentation, installedInstrumentations } from './installed-instrumentations.ts'
import { registerTracing } from './register-tracing.ts'
import { createTracingPipeline, type TracingPipeline } from './tracing-pipeline.ts'

export interface InitOptions extends Pick<TouchstoneOptions, 'apiKey' | 'baseUrl' | 'headers'> {
  /** The name of the component that the traces belong to. */
  component: string
  /** Default: `OTEL_SERVICE_NAME`, else the name of the component. */
  serviceName?: string
  /** Of the deployment, for example `production`. */
  environment?: string
  /** In addition to well-known ones, which are used if they are installed. */
  instrumentations?: Instrumentation[]
}

export interface Tracing {
  /** False if tracing could not be started; stderr has the reason. */
  isActive: boolean
  /** Sends all spans that have ended. */
  flush(): Promise<void>
  /** Sends all spans that have ended, and ends tracing. */
  shutdown(): Promise<void>
}

const INACTIVE: Tracing = { isActive: false, flush: async () => {}, shutdown: async () => {} }
/** A server that does not respond must not keep a program from ending. */
const FLUSH_AT_SIGNAL_MS = 2000

let active: { tracing: Tracing; baseUrl: string } | undefined

/**
 * Sends the spans of this program to Touchstone: those of `observe`, of instrumentations and of OpenTelemetry itself. Never throws: a
 * program works the same without tracing. A second call returns the tracing of the first one.
 */
export function init(options: InitOptions): Tracing {
  if (active) return active.tracing
  try {
    return start(options)
  } catch (error) {
    warnOnce(`tracing is off: ${error instanceof Error ? error.message : String(error)}`)
    return INACTIVE
  }
}

/** Sends all spans that have ended, and ends tracing. */
export async function shutdown(): Promise<void> {
  await active?.tracing.shutdown()
}

/** The tracing that `init` has started for this server. */
export function activeTracing(baseUrl: string): Tracing | undefined {
  return active?.baseUrl === baseUrl ? active.tracing : undefined
}

function start(options: InitOptions): Tracing {
  const settings = readClientSettings(options, process.env)
  const pipeline = createTracingPipeline(settings, resourceOf(options))
  const registration = registerTracing(pipeline.provider)
  if (!registration.isGlobal) {
    registration.remove()
    void pipeline.shutdown()
    warnOnce(
      'tracing is off: the program has another OpenTelemetry provider. Add an OTLP exporter for Touchstone to it.',
    )
    return INACTIVE
  }
  const instrumentations = [...(options.instrumentations ?? []), ...installedInstrumentations(process.cwd())]
  for (const instrumentation of instrumentations) instrumentation.setTracerProvider(pipeline.provider)
  const stopFlushing = flushAtExit(pipeline)
  const tracing: Tracing = {
    isActive: true,
    flush: pipeline.flush,
    async shutdown() {
      stopFlushing()
      if (active?.tracing === tracing) {
        active = undefined
        registration.remove()
      }
      await pipeline.shutdown()
    },
  }
  active = { tracing, baseUrl: settings.baseUrl }
  void warnIfUnknown(options.component, settings)
  return tracing
}

function resourceOf({ component, serviceName, environment }: InitOptions): Record<string, string> {
  const name = component.trim()
  if (name === '') throw new TypeError('component must be the name of a component.')
  return {
    'touchstone.component': name,
    'service.name': serviceName ?? process.env['OTEL_SERVICE_NAME'] ?? name,
    ...(environment !== undefined && { 'deployment.environment.name': environment }),
  }
}

/** Spans are sent in the background, so a wrong key or name would otherwise be seen by no one. */
async function warnIfUnknown(component: string, settings: ClientSettings): Promise<void> {
  try {
    const client = new Touchstone({ ...settings, maxRetries: 0, timeoutMs: 5000 })
    for await (const { name } of client.components.list()) {
      if (name.toLowerCase() === component.trim().toLowerCase()) return
    }
    warnOnce(`there is no component "${component}" at ${settings.baseUrl}: create it, else its traces belong to none.`)
  } catch (error) {
    // Without a response the exporter warns, if there is anything to send.
    if (error instanceof ApiError && error.status < 500) warnOnce(`${settings.baseUrl} responded: ${error.message}`)
  }
}

/** Returns the function that removes the listeners. `process.exit` leaves no time: call `shutdown` before it. */
function flushAtExit({ flush }: TracingPipeline): () => void {
  let hasFlushed = false
  const beforeExit = () => {
    // It is emitted again after every flush.
    if (hasFlushed) return
    hasFlushed = true
    void flush()
  }
  const forget = beforeEndBySignal('spans', async () => {
    await Promise.race([flush(), delay(FLUSH_AT_SIGNAL_MS)])
  })
  process.on('beforeExit', beforeExit)
  return () => {
    process.removeListener('beforeExit', beforeExit)
    forget()
  }
}

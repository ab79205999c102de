import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TracerProvider } from '@opentelemetry/api'
import { warnOnce } from '../warn-once.ts'

/** What all instrumentations of OpenTelemetry have. */
export interface Instrumentation {
  setTracerProvider(provider: TracerProvider): void
}

/** For each library the packages that instrument it; only the first that is installed is used, because two would report every call twice. */
const KNOWN: { packages: string[]; className: string }[] = [
  library('openai', 'OpenAIInstrumentation'),
  library('anthropic', 'AnthropicInstrumentation'),
  library('bedrock', 'BedrockInstrumentation'),
  library('langchain', 'LangChainInstrumentation'),
]

function library(name: string, className: string) {
  return {
    packages: [`@arizeai/openinference-instrumentation-${name}`, `@traceloop/instrumentation-${name}`],
    className,
  }
}

/**
 * Creates the instrumentations that the program has installed. They see CommonJS modules that are loaded after it; programs of ES
 * modules pass their own, instrumented as their documentation says.
 */
export function installedInstrumentations(folder: string): Instrumentation[] {
  const require = createRequire(join(folder, 'package.json'))
  return KNOWN.flatMap(({ packages, className }) => {
    for (const name of packages) {
      try {
        const Class: unknown = require(require.resolve(name))[className]
        if (typeof Class === 'function') return [Reflect.construct(Class, [])]
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
        if (!isMissing) warnOnce(`${name} could not be used: ${error instanceof Error ? error.message : error}`)
      }
    }
    return []
  })
}

/** Programs for tests of snippets. */

/** Runs the program in the variable PROGRAM. */
export const runProgram = '"$NODE" --input-type=module --eval "$PROGRAM"'

/** Any program with the exporter of a protocol and no settings but those of the environment. */
export const bareProgram = (exporter: 'proto' | 'http' | 'grpc') => `
  import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-${exporter}'
  import { detectResources, envDetector } from '@opentelemetry/resources'
  import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
  const provider = new TracerProvider({
    resource: detectResources({ detectors: [envDetector] }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  provider.getTracer('any').startSpan('from anywhere').end()
  await provider.forceFlush()
  await provider.shutdown()`

/** Replaces the provider of models as the SDK's documentation does. */
export const FAKE_PROVIDER = `
  import { MockLanguageModelV4 } from 'ai/test'
  globalThis.AI_SDK_DEFAULT_PROVIDER = {
    specificationVersion: 'v4',
    languageModel: (modelId) => new MockLanguageModelV4({
      provider: 'gateway',
      modelId,
      doGenerate: {
        content: [{ type: 'text', text: 'Hello, world!' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: { inputTokens: { total: 12 }, outputTokens: { total: 4 } },
        warnings: [],
      },
    }),
  }
`

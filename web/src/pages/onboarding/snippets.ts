/** Programs that send a trace, with the address and the key filled in, so that pasting one is enough. */

export interface SnippetValues {
  /** Where spans are sent to, without the path: `https://touchstone.example.com`. */
  origin: string
  apiKey: string
  /** The name of a component. Undefined if there is none: a name that does not exist would be rejected. */
  component: string | undefined
}

export function buildSnippets(values: SnippetValues) {
  return [
    { value: 'opentelemetry', title: 'OpenTelemetry', code: shellVariables(values) },
    { value: 'python', title: 'Python', code: python(values) },
    { value: 'vercel', title: 'Vercel AI SDK', code: vercel(values) },
    { value: 'curl', title: 'curl', code: curl(values) },
  ]
}

export function buildDotEnv({ origin, apiKey, component }: SnippetValues): string {
  return [
    `TOUCHSTONE_API_KEY=${apiKey}`,
    `OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${apiKey}`,
    `OTEL_RESOURCE_ATTRIBUTES=${resourceVariable(component)}`,
    '',
  ].join('\n')
}

/** Without comments: an interactive zsh would run them as commands. */
function shellVariables({ origin, apiKey, component }: SnippetValues): string {
  return `export TOUCHSTONE_API_KEY=${apiKey}
export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$TOUCHSTONE_API_KEY"
export OTEL_RESOURCE_ATTRIBUTES=${resourceVariable(component)}`
}

function python({ origin, apiKey, component }: SnippetValues): string {
  return `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

exporter = OTLPSpanExporter(
    endpoint="${origin}/v1/traces",
    headers={"Authorization": "Bearer ${apiKey}"},
)
provider = TracerProvider(resource=Resource.create(${attributeLiteral(component)}))
provider.add_span_processor(BatchSpanProcessor(exporter))

with provider.get_tracer("my-program").start_as_current_span("greet") as span:
    span.set_attribute("touchstone.input", "Greet the world.")
    span.set_attribute("touchstone.output", "Hello, world!")

provider.shutdown()  # sends pending spans`
}

function vercel({ origin, apiKey, component }: SnippetValues): string {
  return `// npm install ai @ai-sdk/otel @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto
import { OpenTelemetry } from '@ai-sdk/otel'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { generateText, registerTelemetry } from 'ai'

const exporter = new OTLPTraceExporter({
  url: '${origin}/v1/traces',
  headers: { Authorization: 'Bearer ${apiKey}' },
})
const provider = new TracerProvider({
  resource: resourceFromAttributes(${attributeLiteral(component)}),
  spanProcessors: [new BatchSpanProcessor({ exporter })],
})
registerTelemetry(new OpenTelemetry({ tracer: provider.getTracer('ai') }))

const { text } = await generateText({ model: 'openai/gpt-4o', prompt: 'Greet the world.' })
console.log(text)
await provider.shutdown() // sends pending spans`
}

/** Ids are built from the time, so that each call sends another trace. */
function curl({ origin, apiKey, component }: SnippetValues): string {
  const attributes = Object.entries(resourceAttributes(component)).map(([key, value]) => ({
    key,
    value: { stringValue: value },
  }))
  return `curl -sS "${origin}/v1/traces" \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d @- <<JSON
{"resourceSpans": [{
  "resource": {"attributes": ${escapeHeredoc(JSON.stringify(attributes))}},
  "scopeSpans": [{"spans": [{
    "traceId": "$(printf %032x $(date +%s))", "spanId": "$(printf %016x $(date +%s))", "name": "greet",
    "startTimeUnixNano": "$(date +%s)000000000", "endTimeUnixNano": "$(date +%s)250000000",
    "attributes": [
      {"key": "touchstone.input", "value": {"stringValue": "Greet the world."}},
      {"key": "touchstone.output", "value": {"stringValue": "Hello, world!"}}
    ]
  }]}]
}]}
JSON`
}

function resourceAttributes(component: string | undefined): Record<string, string> {
  return { 'service.name': 'my-program', ...(component !== undefined && { 'touchstone.component': component }) }
}

/** Valid in Python and in JavaScript. */
function attributeLiteral(component: string | undefined): string {
  const entries = Object.entries(resourceAttributes(component))
  return `{ ${entries.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ')} }`
}

/** Values are percent-encoded, as the specification of the variable requires; a shell then reads them unquoted. */
function resourceVariable(component: string | undefined): string {
  const entries = Object.entries(resourceAttributes(component))
  return entries.map(([key, value]) => `${key}=${percentEncode(value)}`).join(',')
}

/** Also encodes the marks that `encodeURIComponent` leaves, which a shell would interpret. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function escapeHeredoc(text: string): string {
  return text.replace(/[\\$`]/g, '\\$&')
}

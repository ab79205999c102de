/** Runs in a thread of its own, started by `hostile.test.ts`: maps spans that are built to need long, and reports when each is done. */
import { parentPort } from 'node:worker_threads'
import { createPricer } from '../../src/traces/pricing/price-usage.ts'
import { explainMapping } from '../../src/traces/semconv/explain-mapping.ts'
import { mapMetadata } from '../../src/traces/semconv/map-metadata.ts'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { RULES_BY_KEY } from '../../src/traces/semconv/mapping-rules.ts'
import { mapMessages } from '../../src/traces/semconv/messages/map-messages.ts'
import { mapModelParameters } from '../../src/traces/semconv/model-parameters.ts'
import { buildSpanRow, resourceScopeWriter } from '../../src/traces/storing/build-span-row.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { spanWith } from './golden-spans.ts'

const KEY_LENGTH = 1 << 16
const VALUE_LENGTH = 1 << 20
const PIECES = ['-', ' ', 'a', '{', '[', '\u001b[', '0.', 'cache', ',']
const PREFIXES = ['', 'headers.', 'http.request.headers.', 'llm.tools.', 'llm.input_messages.', 'gen_ai.request.']
/** Keys whose values are taken apart and not only kept. */
const READ_KEYS = [
  'http.request.headers',
  'langfuse.observation.usage_details',
  'langfuse.trace.tags',
  'gen_ai.input.messages',
  'gen_ai.system_instructions',
  'ai.prompt.messages',
  'ai.response.providerMetadata',
  'llm.invocation_parameters',
]

const pricer = createPricer()
const mappings = {
  mapSpan,
  mapMessages,
  mapMetadata,
  mapModelParameters,
  explainMapping,
  buildSpanRow: (span: ReturnType<typeof spanWith>) =>
    buildSpanRow(span, { pricer, prices: [], resourceScopeOf: resourceScopeWriter() }),
}

for (const [what, attributes] of hostileAttributes()) {
  for (const [name, map] of Object.entries(mappings)) {
    parentPort?.postMessage(`${name} of ${what}`)
    map(spanWith(attributes))
  }
}
parentPort?.postMessage('done')

function* hostileAttributes(): Generator<[string, { [key: string]: AttributeValue }]> {
  for (const piece of PIECES) {
    const longText = piece.repeat(VALUE_LENGTH / piece.length)
    const longKey = piece.repeat(KEY_LENGTH / piece.length)
    const named = JSON.stringify(piece)
    yield [`long values of ${named}`, Object.fromEntries(READ_KEYS.map((key) => [key, longText]))]
    // Less for every key that has a meaning: enough for what is quadratic to show.
    const shorter = longText.slice(0, VALUE_LENGTH / 32)
    yield [`values of ${named} everywhere`, Object.fromEntries([...RULES_BY_KEY.keys()].map((key) => [key, shorter]))]
    yield [`long keys of ${named}`, Object.fromEntries(PREFIXES.map((prefix) => [`${prefix}${longKey}!`, longKey]))]
    const nested = JSON.stringify({ [`${longText}!`]: 1 })
    yield [`long keys of ${named} in JSON`, Object.fromEntries(READ_KEYS.map((key) => [key, nested]))]
    yield [`a long header of ${named}`, { 'http.request.headers': { [`${longText}!`]: 'x' } }]
  }
  const tools = Array.from({ length: 500 }, (_, place) => [`llm.tools.${place}.${'0.'.repeat(8_000)}`, 'x'])
  yield ['many tools that another source outranks', { 'gen_ai.tool.definitions': '[{}]', ...Object.fromEntries(tools) }]
}

/**
 * Creates traces for measurements: the same for the same seed on every machine, like those of an assistant with tools.
 *
 * A trace has twenty spans, and its root comes last, because exporters send spans when they finish. Texts are drawn
 * from a few hundred words, frequent ones more often, so that they compress and are indexed like real texts.
 */
import { nextRandom, nextUint32, type RandomState, seededRandom } from '../src/statistics/random/seeded-random.ts'
import type { Attributes, AttributeValue, ReceivedSpan, ResourceScope } from '../src/traces/storing/received-span.ts'
import { seededComponent } from './harness/seeded-component.ts'

export const SPANS_PER_TRACE = 20
export const TRACES_PER_SESSION = 5
export const COMPONENTS_NAMED = 50
export const SERVICES = ['checkout', 'support', 'search', 'billing', 'onboarding', 'catalogue', 'returns', 'voice']
export const MODELS = ['gpt-4o-mini', 'gpt-4o', 'claude-sonnet-4', 'gemini-2.5-flash']
/** In very many spans; in one of five hundred; in a configured number of traces, regardless of their total. */
export const COMMON_WORD = 'refund'
export const UNCOMMON_WORD = 'marmalade'
export const RARE_WORD = 'xylophonist'

const ERRORS_PER_TRACE = 0.02
/** A span has two texts. */
const UNCOMMON_PER_TEXT = 1 / 1_000

export type TraceSet = {
  seed: string
  /** The characters of an input, and of an output, of a model. A span has about 450 more. */
  textLength: number
  firstMs: number
  msPerTrace: number
  /** One in this many traces has the rare word. */
  tracesPerRareWord?: number
}

/** Spans of about a kilobyte, for measuring the ingestion rate. */
export const SENT_TRACES: TraceSet = {
  seed: 'sent',
  textLength: 200,
  firstMs: Date.parse('2026-11-01T00:00:00.000Z'),
  msPerTrace: 250,
}

/** Yields the spans of a set from a trace on, without end. */
export function* spansFrom(set: TraceSet, firstTrace: number): Generator<ReceivedSpan> {
  for (let place = firstTrace; ; place += 1) yield* madeTrace(set, place)
}

/** The sender's id of the trace at a position. */
export function madeTraceId({ seed }: TraceSet, place: number): string {
  return hexOf(seededRandom(`${seed} ${place}`), 4)
}

export function madeSessionId(place: number): string {
  return `session-${Math.floor(place / TRACES_PER_SESSION)}`
}

export function madeTrace(set: TraceSet, place: number, spanCount: number = SPANS_PER_TRACE): ReceivedSpan[] {
  const random = seededRandom(`${set.seed} ${place}`)
  const traceId = hexOf(random, 4)
  const rootId = hexOf(random, 2)
  const resourceScope = resourceScopeOf(place)
  const startNs = BigInt(Math.round(set.firstMs + place * set.msPerTrace)) * 1_000_000n
  const isFailed = nextRandom(random) < ERRORS_PER_TRACE
  const isRare = set.tracesPerRareWord !== undefined && place % set.tracesPerRareWord === 0
  const spans: ReceivedSpan[] = []
  let parentSpanId = rootId
  let atNs = startNs
  for (let number = 1; number < spanCount; number += 1) {
    const spanId = hexOf(random, 2)
    const endNs = atNs + BigInt(20_000_000 + (nextUint32(random) % 900_000_000))
    const isLast = number === spanCount - 1
    const isModel = number % 4 !== 0
    const text = madeText(random, set.textLength) + (isRare && isLast ? ` ${RARE_WORD}` : '')
    spans.push({
      traceId,
      spanId,
      parentSpanId,
      name: isModel ? `chat ${modelAt(place + number)}` : `execute_tool ${pick(TOOLS, random)}`,
      otelKind: isModel ? 3 : 1,
      startNs: atNs,
      endNs,
      attributes: isModel ? modelAttributes(random, place + number, text, set) : toolAttributes(random, text, set),
      events: NONE,
      links: NONE,
      status: isFailed && isLast ? 'error' : 'unset',
      statusMessage: isFailed && isLast ? 'the tool did not answer in time' : '',
      resourceScope,
      notes: NONE,
    })
    // Every fourth step is a tool called by the model before it.
    parentSpanId = number % 4 === 3 ? spanId : rootId
    atNs = endNs
  }
  spans.push(rootOf({ set, place, random, isFailed }, { traceId, spanId: rootId, startNs, endNs: atNs, resourceScope }))
  return spans
}

type RootParts = { set: TraceSet; place: number; random: RandomState; isFailed: boolean }

function rootOf({ set, place, random, isFailed }: RootParts, known: Partial<ReceivedSpan>): ReceivedSpan {
  return {
    traceId: '',
    spanId: '',
    parentSpanId: null,
    name: 'invoke_agent support',
    otelKind: 2,
    startNs: 0n,
    endNs: null,
    attributes: new Map<string, AttributeValue>([
      ['gen_ai.operation.name', 'invoke_agent'],
      ['gen_ai.agent.name', 'support'],
      ['gen_ai.conversation.id', madeSessionId(place)],
      ['user.id', `user-${nextUint32(random) % 10_000}`],
      ['touchstone.component', seededComponent(place % COMPONENTS_NAMED).name],
      ['http.request.method', 'POST'],
      ['http.response.status_code', isFailed ? 500 : 200],
      ['url.path', '/conversations'],
      ['client.address', `10.0.${place % 250}.${place % 199}`],
      ['app.release', `2026.11.${place % 30}`],
      ['input.value', madeText(random, set.textLength)],
      ['output.value', madeText(random, set.textLength)],
    ]),
    events: NONE,
    links: NONE,
    status: isFailed ? 'error' : 'ok',
    statusMessage: isFailed ? 'the tool did not answer in time' : '',
    resourceScope: resourceScopeOf(place),
    notes: NONE,
    ...known,
  }
}

function modelAttributes(random: RandomState, number: number, text: string, { textLength }: TraceSet): Attributes {
  const model = modelAt(number)
  return new Map<string, AttributeValue>([
    ['gen_ai.operation.name', 'chat'],
    ['gen_ai.provider.name', PROVIDERS[number % PROVIDERS.length] ?? ''],
    ['gen_ai.request.model', model],
    ['gen_ai.response.model', model],
    ['gen_ai.request.temperature', 0.2],
    ['gen_ai.request.max_tokens', 1_024],
    ['gen_ai.usage.input_tokens', 200 + (nextUint32(random) % 3_000)],
    ['gen_ai.usage.output_tokens', 10 + (nextUint32(random) % 500)],
    ['gen_ai.response.id', `chatcmpl-${hexOf(random, 3)}`],
    ['gen_ai.response.finish_reasons', ['stop']],
    ['gen_ai.input.messages', `[{"role":"user","parts":[{"type":"text","content":"${text}"}]}]`],
    [
      'gen_ai.output.messages',
      `[{"role":"assistant","parts":[{"type":"text","content":"${madeText(random, textLength)}"}],"finish_reason":"stop"}]`,
    ],
  ])
}

function toolAttributes(random: RandomState, text: string, { textLength }: TraceSet): Attributes {
  const tool = pick(TOOLS, random)
  return new Map<string, AttributeValue>([
    ['gen_ai.operation.name', 'execute_tool'],
    ['gen_ai.tool.name', tool],
    ['gen_ai.tool.type', 'function'],
    ['gen_ai.tool.call.id', `call_${hexOf(random, 3)}`],
    ['gen_ai.tool.description', `Looks something up with ${tool}`],
    ['db.system.name', 'postgresql'],
    ['db.namespace', 'shop'],
    ['server.address', 'shop.internal'],
    ['server.port', 5_432],
    ['app.cache.hit', nextRandom(random) < 0.5],
    ['gen_ai.tool.call.arguments', `{"query":"${text}"}`],
    ['gen_ai.tool.call.result', `{"found":"${madeText(random, textLength)}"}`],
  ])
}

const NONE: never[] = []
const PROVIDERS = ['openai', 'openai', 'anthropic', 'gcp.gemini']
const TOOLS = ['find_order', 'read_policy', 'search_products', 'convert_currency', 'book_courier']

function modelAt(number: number): string {
  return MODELS[number % MODELS.length] ?? ''
}

const resourceScopes = SERVICES.map(
  (service): ResourceScope => ({
    resource: new Map<string, AttributeValue>([
      ['service.name', service],
      ['service.version', '4.11.2'],
      ['deployment.environment.name', 'production'],
      ['telemetry.sdk.language', 'python'],
      ['telemetry.sdk.name', 'opentelemetry'],
      ['telemetry.sdk.version', '1.38.0'],
      ['host.name', `${service}-7d9f8b6c5-x2x4z`],
    ]),
    scopeName: 'opentelemetry.instrumentation.openai_v2',
    scopeVersion: '2.3b0',
    scopeAttributes: new Map(),
  }),
)

/** A process sends its own traces: a hundred consecutive traces belong to one service. */
function resourceScopeOf(place: number): ResourceScope {
  const resourceScope = resourceScopes[Math.floor(place / 100) % resourceScopes.length]
  if (!resourceScope) throw new Error('there is no service')
  return resourceScope
}

/** Sentences are built once: building them for each of ten million spans would need longer than storing the spans. */
const SENTENCES_KEPT = 20_000
let sentences: string[] | undefined

/** Returns text of about this many characters; it may be slightly longer. */
function madeText(random: RandomState, length: number): string {
  sentences ??= makeSentences()
  let text = nextRandom(random) < UNCOMMON_PER_TEXT ? `${UNCOMMON_WORD} ` : ''
  while (text.length < length - 20) text += sentences[nextUint32(random) % SENTENCES_KEPT] ?? ''
  return text
}

function makeSentences(): string[] {
  const random = seededRandom('sentences')
  return Array.from({ length: SENTENCES_KEPT }, (_, place) => {
    const words: string[] = place % 30 === 0 ? [COMMON_WORD] : []
    const count = 5 + (nextUint32(random) % 6)
    while (words.length < count) words.push(makeWord(random))
    const message = words.join(' ')
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}. `
  })
}

/** The square of a random number favors the start of the list, where the frequent words are. */
function makeWord(random: RandomState): string {
  if (nextRandom(random) < 0.04) return String(nextUint32(random) % 100_000)
  const word = WORDS[Math.floor(nextRandom(random) ** 2 * WORDS.length)] ?? ''
  const ending = nextRandom(random)
  return word.length > 4 && ending < 0.3 ? word + (ending < 0.15 ? 's' : ending < 0.22 ? 'ed' : 'ing') : word
}

function pick(values: readonly string[], random: RandomState): string {
  return values[nextUint32(random) % values.length] ?? ''
}

function hexOf(random: RandomState, words: number): string {
  let hex = ''
  for (let word = 0; word < words; word += 1) hex += nextUint32(random).toString(16).padStart(8, '0')
  return hex
}

const WORDS =
  `the of and to in is you that it for was on are as with they at be this have from or one had by word but not what all
were we when your can said there use an each which she do how their if will up other about out many then them these so some her would
make like him into time has look two more write go see number no way could people my than first water been call who its now find long
down day did get come made may part over new sound take only little work know place year live me back give most very after thing our
just name good message man think say great where help through much before line right too mean old any same tell boy follow came want
show also around form three small set put end does another well large must big even such because turn here why ask went men read need
land different home us move try kind hand picture again change off play spell air away animal house point page letter mother answer
found study still learn should order delivery parcel customer account payment invoice address courier warehouse product basket voucher
discount receipt exchange warranty policy ticket agent message assistant question reply document paragraph summary citation source
search result ranking passage context token prompt model temperature answer instruction example schema function argument response
cancel confirm deliver return replace repair upgrade subscribe renew expire verify password login session browser device update
currency shipping customs carrier tracking pickup locker deadline weekend holiday monday tuesday friday morning afternoon evening
colour size material cotton leather wooden metal kitchen garden bicycle helmet jacket trouser shoe battery charger cable screen
camera speaker printer keyboard laptop tablet monitor storage memory network signal coverage roaming contract tariff balance credit
debit transfer deposit interest mortgage insurance premium claim damage accident hospital doctor prescription pharmacy allergy
appointment reception passport luggage boarding departure arrival terminal platform station driver passenger ferry island mountain`
    .split(/\s+/)
    .filter((word) => word !== '')

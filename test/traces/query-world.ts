/** A workspace full of traces with awkward values, as objects; `insert-world.ts` stores it. A second one must never be found. */
import fc from 'fast-check'
import { idGenerator } from '../../src/base/ids.ts'

export const SEED = 20_261_115
export const HOUR_NS = 3_600_000_000_000n
export const FIRST_NS = 1_763_100_000_000_000_000n

export const TEXTS = [
  'refund',
  'REFUND policy',
  '50% off',
  'a_b',
  'axb',
  'C:\\temp',
  'Ärger',
  'ärger',
  '🧪 lab',
  'say "hi"',
  "it's",
  'x'.repeat(320),
]
export const NAMES = ['chat', 'Chat', 'order_42', 'order-42']
export const MODELS = ['gpt-4o', 'GPT-4o', 'openai/gpt-4o', 'claude_3', 'm'.repeat(310)]
export const SERVICES = ['checkout', 'Checkout', 'search']
export const ENVIRONMENTS = ['production', 'staging']
export const PEOPLE = ['jane@example.com', 'u-1', 'U-1']
export const TAGS = ['beta', 'Beta', 'a b']
export const PROMPTS = ['answer@12', 'Answer@12', 'answer', '@v1.0', 'rewrite@3', `${'p'.repeat(310)}@1`]
const SOURCES = ['production', 'run', 'trial', 'playground'] as const
export const RATINGS = ['up', 'Down', '5']
export const ATTRIBUTES = ['env', 'deployment.environment', 'odd "key" \\ ä', '__proto__', 'llm.prompt']
const ATTRIBUTE_VALUES = ['prod', 'PROD', '5', 5, 0.25, 1e21, true, false, null, ['a', 'b'], { k: 'v' }, '50% off']

export type WorldSpan = {
  name: string
  kind: string
  model: string | null
  provider: string | null
  input: string | null
  output: string | null
  /** The attribute that the input was taken from. */
  inputFrom: string | null
  attributes: [key: string, value: unknown][]
  resource: [key: string, value: unknown][]
}

export type WorldTrace = {
  id: string
  traceId: string
  status: 'ok' | 'error'
  /** Place in the list of components, of which the last is deleted. */
  component: number | null
  service: string | null
  environment: string | null
  sessionId: string | null
  userId: string | null
  tags: string[]
  prompts: string[]
  source: (typeof SOURCES)[number]
  startNs: bigint
  durationNs: bigint | null
  errorCount: number
  tokens: number | null
  cost: number | null
  isDeleted: boolean
  spans: WorldSpan[]
  /** Each outside of runs, in a run that is there, or in one that was deleted. */
  annotations: { rating: string | null; isActive: boolean; isOutside: boolean }[]
  scores: { evaluator: string; score: number | null; isActive: boolean }[]
}

type WorldComponent = { id: string; name: string; isDeleted: boolean }
export type World = { workspaceId: string; components: WorldComponent[]; traces: WorldTrace[] }

const maybe = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: null })
const pairs = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...ATTRIBUTES.slice(0, 4)), fc.constantFrom<unknown>(...ATTRIBUTE_VALUES)),
  {
    selector: ([key]) => key,
    maxLength: 3,
  },
)

const span: fc.Arbitrary<WorldSpan> = fc.record({
  name: fc.constantFrom(...NAMES, ...TEXTS),
  kind: fc.constantFrom('llm', 'tool', 'span'),
  model: maybe(MODELS),
  provider: maybe(['openai', 'anthropic']),
  input: maybe(TEXTS),
  output: maybe(TEXTS),
  inputFrom: maybe(['llm.prompt']),
  attributes: pairs,
  resource: pairs,
})

const trace = fc.record({
  status: fc.constantFrom('ok' as const, 'error' as const),
  component: maybe([0, 1, 2]),
  service: maybe(SERVICES),
  environment: maybe(ENVIRONMENTS),
  sessionId: maybe(PEOPLE),
  userId: maybe(PEOPLE),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }),
  startNs: fc
    .tuple(fc.bigInt(0n, 6n), fc.constantFrom(0n, 1n, 1_800_000_000_000n, HOUR_NS - 1n))
    .map(([hours, rest]) => (FIRST_NS / HOUR_NS) * HOUR_NS + hours * HOUR_NS + rest),
  durationNs: maybe([0n, 499_999_999n, 500_000_000n, 2_000_000_000n, 2_000_000_001n, 120_000_000_000n]),
  errorCount: fc.constantFrom(0, 0, 2),
  tokens: maybe([0, 5, 1_000]),
  cost: maybe([0, 0.01, 0.25, 3]),
  isDeleted: fc.constantFrom(false, false, false, false, true),
  spans: fc.array(span, { minLength: 1, maxLength: 3 }),
  annotations: fc.array(fc.record({ rating: maybe(RATINGS), isActive: fc.boolean(), isOutside: fc.boolean() }), {
    maxLength: 2,
  }),
  scores: fc.uniqueArray(
    fc.record({
      evaluator: fc.constantFrom('correctness', 'tone of voice'),
      score: maybe([0, 0.25, 0.5, 1]),
      isActive: fc.boolean(),
    }),
    { selector: ({ evaluator, isActive }) => `${evaluator} ${isActive}`, maxLength: 2 },
  ),
  prompts: fc.uniqueArray(fc.constantFrom(...PROMPTS), { maxLength: 2 }),
  source: fc.constantFrom('production', ...SOURCES),
})

/** The same for every engine: the seed is fixed. */
export function makeWorld(size: number, seed = SEED): World {
  let ms = 1_763_200_000_000 + seed
  const newId = idGenerator({ now: () => (ms += 7) })
  const drawn = fc.sample(trace, { seed, numRuns: size })
  return {
    workspaceId: newId(),
    components: ['Support bot', 'support%bot', 'Gone'].map((name, place) => ({
      id: newId(),
      name,
      isDeleted: place === 2,
    })),
    traces: drawn.map((one) => {
      const id = newId()
      return { ...one, id, traceId: `${id.slice(-12)}${id.replaceAll('-', '')}`.slice(0, 32) }
    }),
  }
}

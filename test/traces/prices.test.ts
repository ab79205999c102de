import { calcPrice, type Provider, waitForUpdate } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PriceRow } from '../../src/traces/pricing/application-prices.ts'
import { createPricer } from '../../src/traces/pricing/price-usage.ts'
import type { Usage } from '../../src/traces/storing/mapped-span.ts'

const AT = Date.UTC(2026, 10, 14, 12)
const NOTHING: Usage = {
  input: null,
  output: null,
  total: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  basis: 'inclusive',
}

function usageOf(usage: Partial<Usage>): Usage {
  return { ...NOTHING, ...usage }
}

let made = 0

function priceRow(row: Partial<PriceRow>): PriceRow {
  made += 1
  return {
    id: `01890a5d-ac96-774b-bcce-${String(made).padStart(12, '0')}`,
    modelPattern: 'our-model',
    provider: null,
    inputPerMillion: 1,
    outputPerMillion: 2,
    cacheReadPerMillion: null,
    cacheWritePerMillion: null,
    validFrom: null,
    validUntil: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...row,
  }
}

const pricer = createPricer()

type Asked = { model: string; provider?: string | null; usage: Partial<Usage>; at?: number; prices?: PriceRow[] }

function price({ model, provider = null, usage, at = AT, prices = [] }: Asked) {
  return pricer.price({ model, provider, usage: usageOf(usage), at, prices })
}

describe('the bundled prices', () => {
  it.each([
    ['openai/gpt-4o-mini', null],
    ['openai/gpt-4o-mini', 'openai'],
    ['openai/gpt-4o-mini', 'litellm'],
    ['openai/gpt-4o-mini', 'gateway'],
    ['openai:gpt-4o-mini', null],
    ['openrouter/openai/gpt-4o-mini', null],
    ['litellm_proxy/openai/gpt-4o-mini', null],
    ['azure/gpt-4o-mini', null],
    ['azure/gpt-4o-mini-2024-07-18', 'azure.ai.openai'],
    ['gpt-4o-mini-2024-07-18', 'strands-agents'],
  ])('find gpt-4o-mini under the name %s of the provider %s', (model, provider) => {
    const usage = { input: 37, output: 11, cacheRead: 8, reasoning: 3 }
    expect(price({ model, provider, usage })?.costUsd).toBeCloseTo(1.155e-5, 15)
  })

  it.each([
    ['anthropic/claude-sonnet-4-5', null, 'claude-sonnet-4-5', 'anthropic'],
    ['anthropic/claude-sonnet-4.5', 'gateway', 'claude-sonnet-4-5', 'anthropic'],
    ['claude-sonnet-4-5-20250929', null, 'claude-sonnet-4-5', 'anthropic'],
    ['models/gemini-2.5-flash', null, 'gemini-2.5-flash', 'gcp.gemini'],
    ['models/gemini-2.5-flash', 'gcp.gemini', 'gemini-2.5-flash', 'gcp.gemini'],
    ['publishers/google/models/gemini-2.5-flash', 'gcp.vertex_ai', 'gemini-2.5-flash', 'gcp.gemini'],
    ['gemini/gemini-2.5-flash', null, 'gemini-2.5-flash', 'gcp.gemini'],
    [
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      null,
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'aws.bedrock',
    ],
    ['text-embedding-3-small', null, 'text-embedding-3-small', 'openai'],
    ['openai/text-embedding-3-small', null, 'text-embedding-3-small', 'openai'],
    ['groq/llama-3.3-70b-versatile', null, 'llama-3.3-70b-versatile', 'groq'],
    ['xai/grok-3', null, 'grok-3', 'x_ai'],
  ])('find %s of the provider %s, as %s of %s', (model, provider, plainModel, itsProvider) => {
    const usage = { input: 1_000, output: 100 }
    const cost = price({ model, provider, usage })
    expect(cost?.costUsd).toBeGreaterThan(0)
    expect(cost).toEqual(price({ model: plainModel, provider: itsProvider, usage }))
  })

  it.each(['my-company/gpt-4o-mini', 'openai/a-model-of-ours', 'ollama/llama3', 'models/ours'])(
    'do not price %s, which may be anything',
    (model) => {
      expect(price({ model, usage: { input: 1_000, output: 100 } })).toBeNull()
    },
  )

  it('give gpt-4o with 8,000 of 10,000 tokens from the cache and 500 out the 2 cents of a hand calculation', () => {
    const usage = { input: 10_000, cacheRead: 8_000, output: 500 }
    const cost = price({ model: 'gpt-4o', provider: 'openai', usage })
    // 2,000 × $2.50 + 8,000 × $1.25 + 500 × $10, a million each.
    expect(cost?.costUsd).toBeCloseTo(0.02, 12)
    expect(cost?.basis).toMatch(/^genai-prices \d+\.\d+\.\d+$/)
  })

  it('give claude-sonnet-4-5 with tokens read from and written to the cache what a hand calculation gives', () => {
    const usage = { input: 10_000, cacheRead: 6_000, cacheWrite: 1_000, output: 500 }
    // 3,000 × $3 + 6,000 × $0.30 + 1,000 × $3.75 + 500 × $15, a million each.
    expect(price({ model: 'claude-sonnet-4-5', provider: 'anthropic', usage })?.costUsd).toBeCloseTo(0.02205, 12)
  })

  it('have none for an unknown model: null and never 0', () => {
    for (const provider of [null, 'openai', 'aws.bedrock', 'unknown', '']) {
      expect(price({ model: 'no-such-model', provider, usage: { input: 5, output: 5 } })).toBeNull()
    }
  })

  it('have none in tokens for a model that is paid by the minute', () => {
    expect(price({ model: 'whisper-1', provider: 'openai', usage: { input: 1_000 } })).toBeNull()
  })

  it.each([
    ['aws.bedrock', 'anthropic.claude-3-5-sonnet-20240620-v1:0'],
    ['azure.ai.openai', 'gpt-4o'],
    ['azure.ai.inference', 'gpt-4o'],
    ['gcp.gemini', 'gemini-2.5-flash'],
    ['gcp.vertex_ai', 'gemini-2.5-flash'],
    ['gcp.gen_ai', 'gemini-2.5-pro'],
    ['x_ai', 'grok-3'],
    ['mistral_ai', 'mistral-large-latest'],
    ['deepseek', 'deepseek-chat'],
    ['groq', 'llama-3.3-70b-versatile'],
    ['cohere', 'command-r-plus'],
    ['perplexity', 'sonar'],
    ['moonshot_ai', 'kimi-k2-0905-preview'],
    ['my-own-gateway', 'gpt-4o-mini'],
    [null, 'claude-sonnet-4-5'],
    // An OpenAI client with the address of another provider.
    ['openai', 'deepseek-chat'],
  ])('know %s %s', (provider, model) => {
    expect(price({ model, provider, usage: { input: 1_000, output: 1_000 } })?.costUsd).toBeGreaterThan(0)
  })

  it('are those of the day of the call', () => {
    const usage = { input: 1_000_000 }
    const before = price({ model: 'o3', provider: 'openai', usage, at: Date.UTC(2025, 4, 1) })
    const after = price({ model: 'o3', provider: 'openai', usage, at: Date.UTC(2025, 6, 1) })
    expect([before?.costUsd, after?.costUsd]).toEqual([10, 2])
  })

  it('change during a day only at whole minutes, so that a minute has one price', async () => {
    for (const { models } of await bundledProviders()) {
      for (const { prices } of models) {
        for (const { constraint } of Array.isArray(prices) ? prices : []) {
          if (constraint?.type !== 'time_of_date') continue
          expect(`${constraint.start_time} ${constraint.end_time}`).toMatch(/^..:..:00Z ..:..:00Z$/)
        }
      }
    }
  })

  it('cost the same to the last significant digit as a call of the library for every span', async () => {
    const models = (await bundledProviders()).flatMap(({ id, models }) =>
      models.map((model) => ({ provider: id, model: model.id })),
    )
    const count = fc.nat({ max: 1_000_000 })
    let priced = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.record({ uncached: count, cacheRead: count, cacheWrite: count, text: count, reasoning: count }),
        fc.date({ min: new Date('2024-06-01'), max: new Date('2026-12-31'), noInvalidDate: true }),
        ({ provider, model }, parts, timestamp) => {
          const input = parts.uncached + parts.cacheRead + parts.cacheWrite
          const output = parts.text + parts.reasoning
          const { cacheRead, cacheWrite, reasoning } = parts
          const ours = price({
            model,
            provider,
            usage: { input, output, cacheRead, cacheWrite, reasoning },
            at: timestamp.getTime(),
          })
          const theirs = calcPrice(
            {
              input_tokens: input,
              output_tokens: output,
              cache_read_tokens: cacheRead,
              cache_write_tokens: cacheWrite,
              output_reasoning_tokens: reasoning,
            },
            model,
            { providerId: provider, timestamp },
          )
          // A model without a price in tokens is the only one on which we differ: not 0 but unknown.
          if (!ours) {
            expect(theirs?.total_price ?? 0).toBe(0)
            return
          }
          priced += 1
          const expected = theirs?.total_price ?? Number.NaN
          expect(Math.abs(ours.costUsd - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1, expected))
        },
      ),
      { numRuns: 2_000 },
    )
    expect(priced).toBeGreaterThan(1_000)
  })
})

describe('an application’s own price', () => {
  it('has precedence over the bundled price, and is named as the basis', () => {
    const row = priceRow({ modelPattern: 'gpt-4o.*', inputPerMillion: 100, outputPerMillion: 200 })
    const usage = { input: 1_000, output: 500 }
    expect(price({ model: 'gpt-4o-2024-08-06', provider: 'openai', usage, prices: [row] })).toEqual({
      costUsd: (1_000 * 100 + 500 * 200) / 1_000_000,
      basis: `application price ${row.id}`,
    })
  })

  it('is for the whole name of a model in any case: that of gpt-4o is not that of gpt-4o-mini', () => {
    const prices = [priceRow({ modelPattern: 'our-(small|large)' })]
    const usage = { input: 1 }
    expect(price({ model: 'OUR-Small', usage, prices })).not.toBeNull()
    expect(price({ model: 'our-small-2', usage, prices })).toBeNull()
    expect(price({ model: 'not-our-small', usage, prices })).toBeNull()
  })

  it('for one provider is not for another', () => {
    const prices = [priceRow({ provider: 'here' })]
    expect(price({ model: 'our-model', provider: 'Here', usage: { input: 1 }, prices })).not.toBeNull()
    expect(price({ model: 'our-model', provider: 'there', usage: { input: 1 }, prices })).toBeNull()
    expect(price({ model: 'our-model', provider: null, usage: { input: 1 }, prices })).toBeNull()
  })

  it('is valid from its start (inclusive) to its end (exclusive)', () => {
    const prices = [priceRow({ validFrom: '2026-11-14T12:00:00.000Z', validUntil: '2026-11-14T12:00:01.000Z' })]
    const costAt = (at: number) => price({ model: 'our-model', usage: { input: 1 }, at, prices })
    expect(costAt(AT - 1)).toBeNull()
    expect(costAt(AT)).not.toBeNull()
    expect(costAt(AT + 999)).not.toBeNull()
    expect(costAt(AT + 1_000)).toBeNull()
  })

  it('is replaced by a newer one, for any order', () => {
    const [older, newer] = [priceRow({ inputPerMillion: 1 }), priceRow({ inputPerMillion: 7 })]
    for (const prices of [
      [older, newer],
      [newer, older],
    ]) {
      expect(price({ model: 'our-model', usage: { input: 1_000_000 }, prices })?.costUsd).toBe(7)
    }
  })

  it('without a price for the cache takes that of other input', () => {
    const usage = { input: 1_000_000, cacheRead: 400_000, cacheWrite: 100_000 }
    const plain = priceRow({ inputPerMillion: 10 })
    expect(price({ model: 'our-model', usage, prices: [plain] })?.costUsd).toBe(10)
    const cached = priceRow({ inputPerMillion: 10, cacheReadPerMillion: 1, cacheWritePerMillion: 20 })
    expect(price({ model: 'our-model', usage, prices: [cached] })?.costUsd).toBeCloseTo(5 + 0.4 + 2, 12)
  })

  it('whose stored pattern cannot be read matches nothing and costs no span', () => {
    expect(price({ model: 'our-model', usage: { input: 1 }, prices: [priceRow({ modelPattern: '(' })] })).toBeNull()
  })
})

describe('prices of an application that are read again for each batch', () => {
  it('are compared with a model once, and again when there is another price', () => {
    let comparisons = 0
    const counted = (row: PriceRow): PriceRow => ({
      ...row,
      get provider() {
        comparisons += 1
        return null
      },
    })
    const rows = [priceRow({ inputPerMillion: 1 }), priceRow({ modelPattern: 'other' })]
    const batch = (...more: PriceRow[]) => [...rows, ...more].map(counted)
    const ask = (prices: PriceRow[]) => price({ model: 'our-model', usage: { input: 1_000_000 }, prices })?.costUsd
    expect(ask(batch())).toBe(1)
    const afterFirst = comparisons
    expect(ask(batch())).toBe(1)
    expect(comparisons).toBe(afterFirst)
    expect(ask(batch(priceRow({ inputPerMillion: 3 })))).toBe(3)
    rows.shift()
    expect(ask(batch())).toBeUndefined()
  })

  it('are found also for more models than are cached', () => {
    const prices = [priceRow({ modelPattern: 'm-.*', inputPerMillion: 2 })]
    for (let place = 0; place < 11_000; place += 1) {
      const cost = price({ model: `m-${place}`, usage: { input: 1_000_000 }, prices: [...prices] })
      if (cost?.costUsd !== 2) expect.unreachable(`m-${place}`)
    }
  })
})

describe('usage', () => {
  const prices = [priceRow({ inputPerMillion: 1, outputPerMillion: 10, cacheReadPerMillion: 0.1 })]
  const costOf = (usage: Partial<Usage>) =>
    (price({ model: 'our-model', usage, prices })?.costUsd ?? Number.NaN) * 1_000_000

  it.each([
    ['only a total, which is all input', { total: 100 }, 100],
    ['an output and a total', { output: 10, total: 110 }, 200],
    ['an input and a total', { input: 100, total: 110 }, 200],
    ['cache counts in addition to the input, because they are larger', { input: 10, cacheRead: 100 }, 10 + 10],
    ['cache counts and no input', { cacheRead: 100, output: 1 }, 10 + 10],
    ['reasoning in addition to the output, because it is larger', { input: 0, output: 1, reasoning: 2 }, 30],
    [
      'numbers that are none',
      { input: 100, output: Number.NaN, cacheRead: -1, reasoning: Number.POSITIVE_INFINITY },
      100,
    ],
    ['zero', { input: 0, output: 0 }, 0],
  ])('may be %s', (_name, usage, expected) => {
    expect(costOf(usage)).toBeCloseTo(expected, 9)
  })

  it('of which nothing is known has no cost', () => {
    expect(price({ model: 'our-model', usage: {}, prices })).toBeNull()
  })

  it('never makes pricing throw, for any numbers, model and provider', () => {
    const count = fc.option(fc.double(), { nil: null })
    const text = fc.option(
      fc.oneof(fc.string(), fc.constantFrom('gpt-4o', 'claude-sonnet-4-5', 'litellm', '__proto__')),
      {
        nil: null,
      },
    )
    fc.assert(
      fc.property(
        text,
        text,
        fc.double(),
        fc.tuple(count, count, count, count, count, count),
        (model, provider, at, counts) => {
          const [input = null, output = null, total = null, cacheRead = null, cacheWrite = null, reasoning = null] =
            counts
          const usage = usageOf({ input, output, total, cacheRead, cacheWrite, reasoning })
          const cost = pricer.price({ model, provider, usage, at, prices })
          if (cost) expect(cost.costUsd).toBeGreaterThanOrEqual(0)
        },
      ),
    )
  })
})

async function bundledProviders(): Promise<Provider[]> {
  return (await waitForUpdate()) ?? []
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ModelPrice, PriceCalculation } from '@pydantic/genai-prices'
import type { FoundPrice, PriceQuery, Rate, Rates } from './application-prices.ts'
import { modelNames } from './model-names.ts'

type Library = typeof import('@pydantic/genai-prices')

const LIBRARY = '@pydantic/genai-prices'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const MODELS_MAX = 2_000
const PERIODS_MAX = 1_500
const MODEL_LENGTH_MAX = 300

/** Prices change at the start of a day. A few are lower at night, so they are looked up by the minute. */
type KnownModel = { periodMs: number; byPeriod: Map<number, FoundPrice | undefined> }

/** Finds the bundled prices. They are loaded on first use, to save memory in an idle server. */
export function createBundledPrices() {
  const known = new Map<string, KnownModel>()
  let library: Library | undefined
  let basis = ''

  function lookUp(query: PriceQuery): { periodMs: number; found: FoundPrice | undefined } {
    try {
      if (!library) {
        library = loadLibrary()
        basis = `genai-prices ${libraryVersion()}`
      }
      const calculation = calculate(library, query)
      const rates = calculation ? ratesOf(calculation) : undefined
      const periodMs = calculation && changesDuringDay(calculation) ? MINUTE_MS : DAY_MS
      return { periodMs, found: rates && { rates, basis } }
    } catch {
      // If the library throws, the model has no price, and the span is still stored.
      return { periodMs: DAY_MS, found: undefined }
    }
  }

  return {
    find(query: PriceQuery): FoundPrice | undefined {
      const name = `${query.provider ?? ''}\n${query.model}`
      const entry = known.get(name)
      if (entry) {
        const period = Math.floor(query.atMs / entry.periodMs)
        const found = entry.byPeriod.get(period)
        if (found || entry.byPeriod.has(period)) return found
      }
      const { periodMs, found } = lookUp(query)
      if (known.size >= MODELS_MAX) known.clear()
      const isSame = entry && entry.periodMs === periodMs && entry.byPeriod.size < PERIODS_MAX
      const byPeriod: KnownModel['byPeriod'] = isSame ? entry.byPeriod : new Map()
      byPeriod.set(Math.floor(query.atMs / periodMs), found)
      known.set(name, { periodMs, byPeriod })
      return found
    },
  }
}

/** Called without usage, because only the prices are needed. */
function calculate({ calcPrice, findProvider }: Library, query: PriceQuery): PriceCalculation | null {
  // No model has such a long name, and splitting it would be slow.
  if (query.model.length > MODEL_LENGTH_MAX) return null
  const timestamp = new Date(query.atMs)
  for (const { model, providerId } of modelNames(query, (id) => findProvider({ providerId: id }) !== undefined)) {
    const calculation = calcPrice({}, model, providerId === undefined ? { timestamp } : { timestamp, providerId })
    if (calculation) return calculation
  }
  return null
}

/** Undefined for models that are not billed by token, such as by minute of audio. */
function ratesOf({ model, model_price: price }: PriceCalculation): Rates | undefined {
  const perRequest = price['requests_kcount']
  const hasTokenPrice = price['input_mtok'] !== undefined || price['output_mtok'] !== undefined
  const isFree = Object.keys(price).length === 0 && model.id.endsWith(':free')
  if (!hasTokenPrice && !isFree) return undefined
  const uncached = rateOf(price, 'input_mtok') ?? 0
  const output = rateOf(price, 'output_mtok') ?? 0
  return {
    uncached,
    cacheRead: rateOf(price, 'cache_read_mtok') ?? uncached,
    cacheWrite: rateOf(price, 'cache_write_mtok') ?? uncached,
    output,
    reasoning: rateOf(price, 'output_reasoning_mtok') ?? output,
    perRequestUsd: typeof perRequest === 'number' ? perRequest / 1_000 : 0,
  }
}

function rateOf(price: ModelPrice, key: string): Rate | undefined {
  const rate = price[key]
  if (rate === undefined || typeof rate === 'number') return rate
  return { base: rate.base, tiers: rate.tiers.toSorted((a, b) => a.start - b.start) }
}

function changesDuringDay({ model: { prices } }: PriceCalculation): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date')
}

/** Synchronous instead of `import`, so that pricing a span does not wait. */
function loadLibrary(): Library {
  return createRequire(import.meta.url)(LIBRARY)
}

function libraryVersion(): string {
  const entry = createRequire(import.meta.url).resolve(LIBRARY)
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

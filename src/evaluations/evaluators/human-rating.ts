import { ConfigError, type Evaluator } from './evaluator.ts'

/**
 * The share of people who rated a trace as positive, among those who rated it as positive or negative. Which words mean what
 * may be told: `{"type": "humanRating", "positive": ["good"], "negative": ["bad"]}`.
 */
export function humanRating(name: string, config: Record<string, unknown>, key: string): Evaluator {
  const positive = words(config.positive, `${key}.positive`, ['positive'])
  const negative = words(config.negative, `${key}.negative`, ['negative'])
  return {
    name,
    evaluate({ ratings }) {
      const good = ratings.filter((rating) => positive.includes(rating)).length
      const bad = ratings.filter((rating) => negative.includes(rating)).length
      if (good + bad === 0) return { state: 'skipped', reason: 'nobody has rated the trace' }
      return { state: 'scored', score: good / (good + bad) }
    },
  }
}

function words(value: unknown, key: string, otherwise: string[]): string[] {
  if (value === undefined) return otherwise
  const isList = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
  if (!isList) throw new ConfigError(`${key} must be a list of at least one rating`)
  return value
}

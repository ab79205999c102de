import { createHash } from 'node:crypto'
import { readStoredConfig } from '../../scores/stored-config.ts'

const KEY_LENGTH = 12

/**
 * Identifies the settings that a metric was measured with: its evaluator, the model connection and the split. Two measurements with
 * different settings must not be connected by a line.
 */
export function settingsKeyOf(configText: string, metric: string): string {
  const { split = null }: { split?: unknown } = Object(JSON.parse(configText))
  const { evaluators, provider = null } = readStoredConfig(configText)
  const options = evaluators?.find(({ name }) => name === metric)?.options ?? null
  const text = JSON.stringify(sorted({ options, provider, split }))
  return createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH)
}

/** The same settings in another order are the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]))
}

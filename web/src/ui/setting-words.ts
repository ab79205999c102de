import { withMetricTitles } from './metric-words.ts'
import { labelOf } from './schema-form/json-schema.ts'

/** The fields of the form of a new evaluation, by the keys of its config. */
const settingLabels: Readonly<Record<string, string>> = {
  provider: 'Connection',
  repetitions: 'Asked per case',
  concurrency: 'Questions at a time',
  anchors: 'Anchors',
  canaries: 'Test the judges with prompt injections',
  split: 'Only items of a split',
  baselineRunId: 'Compare with',
  maxCostUsd: 'Stop at, in US dollars',
  plannedLooks: 'Planned looks',
  plannedItems: 'Items at the last look',
  gate: 'Gate',
  evaluators: 'Evaluators',
}

export function settingTitle(key: string): string {
  return (Object.hasOwn(settingLabels, key) && settingLabels[key]) || labelOf(key)
}

/** A message of the server, which names keys of a config and settings of the operator; people see the fields of the form. */
export function settingsInWords(message: string): string {
  return withMetricTitles(message)
    .replace(' (OPENAI_BASE_URL). Add a connection and name it', '. Choose a connection')
    .replace(/config\.(\w+)(?:\.\w+|\[\d+\])*/g, (_, key: string) => `“${settingTitle(key)}”`)
    .replace('; add one under /prices', '; add one on the page Prices of the settings')
}

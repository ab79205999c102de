import type { NewTrial } from '../../api/trials-query.ts'
import type { Config } from '../new-evaluation/evaluation-draft.ts'
import { baselineIn, type VariantDraft, variantsOf } from './variant-list.ts'

/** What the form has so far. Undefined numbers are the defaults of the server. */
export interface TrialDraft extends VariantDraft {
  name: string
  datasetId: string
  split: Split | undefined
  sampleSize: number | undefined
  seed: number | undefined
  /** Of the variant; the first one if it was removed. */
  baseline: string | undefined
  /** What was typed for each variable: a path, or a text in quotes. */
  variables: Record<string, string>
  repetitions: number
  concurrency: number | undefined
  maxCostUsd: number | undefined
  maxMinutes: number | undefined
  /** When to look at the scores while the trial runs. */
  looks: Looks
  /** Of the evaluations. */
  config: Config
}

export type Looks = 'atTheEnd' | 'early' | 'planned'
/** As in the guide: more looks stop hardly sooner. */
const PLANNED_LOOKS = 5

export type Split = NonNullable<NewTrial['split']>

/** What was typed for a variable. `constructor` is a name, too, and objects have it without anyone having typed it. */
export function variableText({ variables }: Pick<TrialDraft, 'variables'>, name: string): string {
  return Object.hasOwn(variables, name) ? (variables[name] ?? '') : ''
}

/** Undefined without a variant: there is nothing to estimate. `names` are the variables of the chosen versions. */
export function requestOf(draft: TrialDraft, names: readonly string[]): NewTrial | undefined {
  const variants = variantsOf(draft)
  const baseline = baselineIn(variants, draft.baseline)
  if (baseline === undefined) return undefined
  const { sampleSize, seed, concurrency, maxCostUsd, maxMinutes, config } = draft
  const variables = names.flatMap((name) => {
    const text = variableText(draft, name).trim()
    return text === '' ? [] : [[name, readVariable(text)] as const]
  })
  return {
    datasetId: draft.datasetId,
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    ...(draft.split && { split: draft.split }),
    ...(sampleSize !== undefined && { sample: { n: sampleSize, ...(seed !== undefined && { seed }) } }),
    variants,
    baseline,
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    repetitions: draft.repetitions,
    ...(concurrency !== undefined && { concurrency }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(maxMinutes !== undefined && { maxMinutes }),
    ...(draft.looks === 'early' && { stopEarly: true }),
    ...(draft.looks === 'planned' && { plannedLooks: PLANNED_LOOKS }),
    ...(Object.keys(config).length > 0 && { evaluation: config }),
  }
}

/** `"Halden"` is the same text for all items; everything else is a path into the item. */
function readVariable(text: string): string | { value: unknown } {
  if (!text.startsWith('"')) return text
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { value: text.replace(/^"|"$/g, '') }
  }
}

/** The variants that the form describes: versions × models × parameters of a prompt, a service, and the team's own code. */
import type { NewTrial } from '../../api/trials-query.ts'

export interface ChosenModel {
  provider: string
  model: string
}

export interface GridParameter {
  name: string
  /** As typed: `0, 0.7`. */
  values: string
}

/** What the form has of the variants. */
export interface VariantDraft {
  promptId: string | undefined
  versions: number[]
  /** None: each version with the model that is saved in it. */
  models: ChosenModel[]
  parameters: GridParameter[]
  /** The endpoint of your service by its name; undefined without it. */
  endpoint: string | undefined
  /** What is sent to it, with {{input}} in its texts. */
  body: unknown
  /** Where the output is in its answer, as a JSON Pointer. */
  output: string
  /** What production answered is a variant, too. */
  isRecorded: boolean
  /** The queue of your own code; empty without it. */
  queue: string
  /** The names of variants that were taken out of the grid. */
  removed: string[]
}

export type DraftVariant = NonNullable<NewTrial['variants']>[number] & { name: string }

/** Those that are sent: without the ones that were taken out of the list. */
export function variantsOf(draft: VariantDraft): DraftVariant[] {
  return allVariants(draft).filter(({ name }) => !draft.removed.includes(name))
}

function allVariants(draft: VariantDraft): DraftVariant[] {
  return [...ofRecorded(draft), ...ofPrompt(draft), ...ofService(draft), ...ofCode(draft)]
}

function ofPrompt({ promptId, versions, models, parameters }: VariantDraft): DraftVariant[] {
  if (promptId === undefined) return []
  const isAmbiguous = (model: string) => models.filter((one) => one.model === model).length > 1
  const labelOf = ({ provider, model }: ChosenModel) => (isAmbiguous(model) ? `${provider} ${model}` : model)
  const choices = models.length === 0 ? [undefined] : models
  const sets = parameterSets(parameters)
  return versions.flatMap((version) =>
    choices.flatMap((model) =>
      sets.map((set): DraftVariant => {
        const settings = Object.entries(set).map(([name, value]) => `${name} ${textOf(value)}`)
        return {
          name: [`v${version}`, ...(model ? [labelOf(model)] : []), ...settings].join(' · '),
          target: {
            ...{ type: 'prompt', promptId, version },
            ...(model && { provider: model.provider, model: model.model }),
            ...(settings.length > 0 && { parameters: set }),
          },
        }
      }),
    ),
  )
}

/** All combinations. A parameter without a name or a value is not finished yet, and changes nothing. */
function parameterSets(parameters: readonly GridParameter[]): Record<string, unknown>[] {
  let sets: Record<string, unknown>[] = [{}]
  for (const { name, values } of parameters) {
    const read = readValues(values)
    if (name.trim() === '' || read.length === 0) continue
    sets = sets.flatMap((set) => read.map((value) => ({ ...set, [name.trim()]: value })))
  }
  return sets
}

/** Numbers, true, false and null as in JSON; everything else is text. A value that is there twice counts once. */
function readValues(text: string): unknown[] {
  const parts = text.split(',').map((part) => part.trim())
  return [...new Set(parts.filter((part) => part !== ''))].map(readValue)
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** As in the guide. */
export const RECORDED = 'production'

/** A service and a queue may have the same name. */
function ofRecorded({ isRecorded, endpoint, queue }: VariantDraft): DraftVariant[] {
  const isTaken = endpoint === RECORDED || queue.trim() === RECORDED
  return isRecorded ? [{ name: isTaken ? `${RECORDED}, recorded` : RECORDED, target: { type: 'recorded' } }] : []
}

function ofService({ endpoint, body, output }: VariantDraft): DraftVariant[] {
  if (endpoint === undefined) return []
  const target = { type: 'http' as const, endpoint, body, ...(output.trim() !== '' && { output: output.trim() }) }
  return [{ name: endpoint, target }]
}

function ofCode({ queue }: VariantDraft): DraftVariant[] {
  const name = queue.trim()
  return name === '' ? [] : [{ name, target: { type: 'worker', queue: name } }]
}

export function baselineIn(variants: readonly DraftVariant[], baseline: string | undefined): string | undefined {
  return variants.find(({ name }) => name === baseline)?.name ?? variants[0]?.name
}

/** The file of `trial run`: the body of `POST …/trials`, in which component, dataset and prompts may have their names. */

import { requireDataset, type Touchstone } from 'touchstone-sdk/client'
import { LineCounter, parseDocument } from 'yaml'
import type { CliContext } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { requirePrompt } from '../prompts/find-prompt.ts'
import { readInput } from '../read-input.ts'

type Fields = Record<string, unknown>
export type TrialBody = Parameters<Touchstone['trials']['create']>[1]

export interface TrialPlan {
  component: string | undefined
  dataset: string | undefined
  fields: Fields
}

export async function readTrialPlan(context: CliContext, file: string): Promise<TrialPlan> {
  const { component, dataset, ...fields } = parsePlan((await readInput(context, file)).toString('utf8'), file)
  return { component: textIn({ component }, 'component', file), dataset: textIn({ dataset }, 'dataset', file), fields }
}

interface Scope {
  client: Touchstone
  componentId: string
  /** Of `touchstone.yaml`. */
  dataset: string | undefined
  signal: AbortSignal
}

/** Replaces names by ids. The server checks everything else. */
export async function resolvePlan({ dataset, fields }: TrialPlan, scope: Scope): Promise<TrialBody> {
  const { client, componentId, signal } = scope
  const named = dataset ?? (fields['datasetId'] === undefined ? scope.dataset : undefined)
  if (named === undefined && fields['datasetId'] === undefined)
    throw new CliError('Which dataset? Set dataset in the plan, or in touchstone.yaml.', EXIT.usage)
  const datasetId = named === undefined ? undefined : (await requireDataset(client, componentId, named, signal)).id
  const { variants, grid, evaluation } = fields
  const body = {
    ...fields,
    ...(datasetId !== undefined && { datasetId }),
    ...(Array.isArray(variants) && { variants: await Promise.all(variants.map((one) => ofVariant(one, scope))) }),
    ...(isFields(grid) && { grid: await withPromptId(grid, scope) }),
    ...(isFields(evaluation) && { evaluation: withEvaluators(evaluation) }),
  }
  // Checked by the server, whose error names the field.
  return body as TrialBody
}

async function ofVariant(variant: unknown, scope: Scope): Promise<unknown> {
  if (!isFields(variant) || !isFields(variant['target'])) return variant
  return { ...variant, target: await withPromptId(variant['target'], scope) }
}

async function withPromptId({ prompt, ...fields }: Fields, scope: Scope): Promise<Fields> {
  if (typeof prompt !== 'string') return prompt === undefined ? fields : { ...fields, prompt }
  return { ...fields, promptId: (await requirePrompt(scope, prompt)).id }
}

/** As in `touchstone.yaml`, an evaluator without options is its type. */
function withEvaluators({ evaluators, ...config }: Fields): Fields {
  if (!Array.isArray(evaluators)) return evaluators === undefined ? config : { ...config, evaluators }
  return { ...config, evaluators: evaluators.map((one) => (typeof one === 'string' ? { type: one } : one)) }
}

/** JSON is YAML, too. */
function parsePlan(text: string, file: string): Fields {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const problems = document.errors.map(({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`)
  if (problems.length > 0) throw new CliError(problems.join('\n'), EXIT.usage)
  const plan: unknown = document.toJS()
  if (isFields(plan)) return plan
  throw new CliError(`${file} must be an object with the fields of a trial, such as dataset and variants.`, EXIT.usage)
}

function textIn(fields: Fields, name: string, file: string): string | undefined {
  const value = fields[name]
  if (value === undefined || typeof value === 'string') return value
  throw new CliError(`${file}: ${name} must be a name or an id.`, EXIT.usage)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

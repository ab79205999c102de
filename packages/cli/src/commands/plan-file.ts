/** The files of `trial run` and `experiment run`: a body of the API, in which component, dataset and prompts may have their names. */

import { requireDataset, type Touchstone } from 'touchstone-sdk/client'
import { LineCounter, parseDocument } from 'yaml'
import type { CliContext } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { readInput } from '../read-input.ts'

export type Fields = Record<string, unknown>

export interface Plan {
  component: string | undefined
  dataset: string | undefined
  fields: Fields
}

export interface PlanScope {
  client: Touchstone
  componentId: string
  /** Of `touchstone.yaml`. */
  dataset: string | undefined
  signal: AbortSignal
}

/** `what` is as in "a trial"; `example` are two of its fields. */
export async function readPlan(
  context: CliContext,
  file: string,
  { what, example }: { what: string; example: string },
): Promise<Plan> {
  const text = (await readInput(context, file)).toString('utf8')
  const plan = parseYaml(text, file)
  if (!isFields(plan))
    throw new CliError(`${file} must be an object with the fields of ${what}, such as ${example}.`, EXIT.usage)
  const { component, dataset, ...fields } = plan
  return { component: readName(component, 'component', file), dataset: readName(dataset, 'dataset', file), fields }
}

/** Undefined if the plan has the id of its dataset. */
export async function findDatasetId({ dataset, fields }: Plan, scope: PlanScope): Promise<string | undefined> {
  const isGiven = fields['datasetId'] !== undefined
  const named = dataset ?? (isGiven ? undefined : scope.dataset)
  if (named !== undefined) return (await requireDataset(scope.client, scope.componentId, named, scope.signal)).id
  if (isGiven) return undefined
  throw new CliError('Which dataset? Set dataset in the plan, or in touchstone.yaml.', EXIT.usage)
}

/** As in `touchstone.yaml`, an evaluator without options is its type. */
export function withEvaluators({ evaluators, ...config }: Fields): Fields {
  if (!Array.isArray(evaluators)) return evaluators === undefined ? config : { ...config, evaluators }
  return { ...config, evaluators: evaluators.map((one) => (typeof one === 'string' ? { type: one } : one)) }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON is YAML, too. */
function parseYaml(text: string, file: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const problems = document.errors.map(({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`)
  if (problems.length > 0) throw new CliError(problems.join('\n'), EXIT.usage)
  return document.toJS()
}

function readName(value: unknown, name: string, file: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new CliError(`${file}: ${name} must be a name or an id.`, EXIT.usage)
}

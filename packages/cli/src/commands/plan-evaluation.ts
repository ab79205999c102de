/** What `eval run` evaluates: flags, then the file of the project. */
import { findRun, requireDataset, type Touchstone } from 'touchstone-sdk/client'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import type { Gate, ProjectFile } from '../settings/project-file.ts'

export interface EvaluationFlags {
  dataset?: string
  run?: string
  baseline?: string
  /** Ignores baseline and gate of the file of the project. */
  noBaseline?: boolean
  evaluator?: readonly string[]
  gate?: Gate
  name?: string
  split?: 'train' | 'validation' | 'test'
}

export interface PlannedEvaluation {
  datasetId: string
  runId?: string
  name?: string
  config: Record<string, unknown>
}

interface Source {
  client: Touchstone
  componentId: string
  project: ProjectFile | undefined
  signal: AbortSignal
}

export async function planEvaluation(flags: EvaluationFlags, source: Source): Promise<PlannedEvaluation> {
  const { client, componentId, project, signal } = source
  const { dataset, run, name, split } = { ...project, ...withoutUndefined(flags) }
  if (flags.noBaseline && (flags.baseline !== undefined || flags.gate))
    throw usage('--no-baseline excludes --baseline and --gate.')
  const baseline = flags.noBaseline ? undefined : (flags.baseline ?? project?.baseline)
  const gate = flags.noBaseline ? undefined : (flags.gate ?? project?.gate)
  if (dataset === undefined) throw usage('Which dataset? Pass --dataset, or set dataset in touchstone.yaml.')
  if (gate && baseline === undefined)
    throw usage('A gate needs a baseline: pass --baseline. To evaluate without comparing, pass --no-baseline.')
  if (baseline !== undefined && run === undefined) throw usage('A baseline needs a run to compare: pass --run.')
  const { id: datasetId } = await requireDataset(client, componentId, dataset, signal)
  const within = { componentId, datasetId }
  const evaluated = run === undefined ? undefined : await findRun(client, within, run, signal)
  const baselineRunId = baseline === undefined ? undefined : (await findRun(client, within, baseline, signal)).id
  const evaluators = (flags.evaluator ?? project?.evaluators)?.map((one) =>
    typeof one === 'string' ? { type: one } : one,
  )
  const config = withoutUndefined({ ...project?.config, evaluators, baselineRunId, gate, split })
  // Reports need a title that a person recognizes.
  const title = name ?? evaluated?.name ?? undefined
  return { datasetId, ...(evaluated && { runId: evaluated.id }), ...(title !== undefined && { name: title }), config }
}

/** `correct:0.02`, or `correct` for the default margin. A name may contain colons. */
export function parseGate(text: string): Gate {
  const [, metric, margin] = /^(.+?)(?::([^:]*))?$/.exec(text) ?? []
  if (metric === undefined) throw new RangeError('must be a metric and a margin, such as correct:0.02')
  if (margin === undefined) return { metric }
  if (margin.trim() === '' || !(Number(margin) >= 0))
    throw new RangeError('must end with a margin of at least 0, such as correct:0.02')
  return { metric, margin: Number(margin) }
}

function usage(message: string): CliError {
  return new CliError(message, EXIT.usage)
}

function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  // Only properties without a value are removed, which every optional one may be.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

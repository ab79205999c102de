import type { ExperimentDetail, ExperimentEstimate, ExperimentResults } from 'touchstone-sdk'
import { type ExperimentProgress, type Touchstone, waitForExperiment } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { verdictText } from '../evaluation-report/format-metric.ts'
import { EXIT } from '../exit-code-values.ts'
import { escapeLine, printableJson } from '../output/escape-text.ts'
import { waitOnServer } from '../output/wait-on-server.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'
import { resolveExperimentPlan } from './plan-experiment.ts'
import { readPlan } from './plan-file.ts'

type Flags = CommonFlags & { component?: string }

/** Creates and starts an experiment. With `--wait`, waits for its end and reports it. */
export async function runExperiment(
  this: CliContext,
  flags: Flags & { wait?: boolean; dryRun?: boolean },
  file: string,
): Promise<void> {
  const plan = await readPlan(this, file, { what: 'an experiment', example: 'dataset, prompt and evaluators' })
  const { client, project, component: find } = await openSession(this, flags)
  const { id: componentId, workspaceId } = await find(flags.component ?? plan.component)
  const { signal } = this
  const scope = { client, componentId, dataset: project?.dataset, signal }
  const body = await resolveExperimentPlan(plan, scope)
  // Rejects an invalid plan before anything is created, and reports what it would cost.
  const estimate = await client.experiments.estimate(componentId, body, { signal })
  if (flags.dryRun) return printResource(this, flags, estimate)
  for (const text of textsOf(estimate)) this.terminal.message(escapeLine(text))
  const { id } = await client.experiments.create(componentId, body, { signal })
  const started = await client.experiments.start(componentId, id, { signal })
  if (!flags.wait) return printResource(this, flags, started)
  this.terminal.message(`Started the experiment ${id}: ${pageOf(client, workspaceId, started)}`)
  await waitAndReport(this, client, flags, started)
}

/** Follows an experiment that was started before, and reports it. */
export async function watchExperiment(this: CliContext, flags: Flags, named: string): Promise<void> {
  const { client, experiment } = await openExperiment(this, flags, named)
  if (experiment.status === 'pending')
    throw new CliError(
      `The experiment has not been started. To start it:\n  touchstone experiment start ${experiment.id} --component ${experiment.aiComponentId}`,
      EXIT.usage,
    )
  await waitAndReport(this, client, flags, experiment)
}

export async function listExperiments(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const entries = await client.experiments.list(id, {}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'status', 'endedBy', 'createdAt'] })
}

export async function getExperiment(this: CliContext, flags: Flags, named: string): Promise<void> {
  const { experiment } = await openExperiment(this, flags, named)
  printResource(this, flags, experiment)
}

/** A command that asks for one change of an experiment and prints what it has become. */
function changing(action: 'start' | 'stop' | 'cancel' | 'resume') {
  return async function (this: CliContext, flags: Flags, named: string): Promise<void> {
    const { client, experiment } = await openExperiment(this, flags, named)
    const { aiComponentId, id } = experiment
    printResource(this, flags, await client.experiments[action](aiComponentId, id, { signal: this.signal }))
  }
}

export const startExperiment = changing('start')
export const stopExperiment = changing('stop')
export const cancelExperiment = changing('cancel')
export const resumeExperiment = changing('resume')

async function openExperiment(context: CliContext, flags: Flags, named: string) {
  const { client, component } = await openSession(context, flags)
  const { id } = await component(flags.component)
  return { client, experiment: await client.experiments.find(id, named, { signal: context.signal }) }
}

/** What a person should read before it costs anything. */
function textsOf({ summary, leaks, warnings }: ExperimentEstimate): string[] {
  return [summary, ...leaks.map((leak) => leak.summary), ...warnings]
}

function pageOf(client: Touchstone, workspaceId: string, { aiComponentId, id }: ExperimentDetail): string {
  const path = [workspaceId, 'c', aiComponentId, 'experiments', id].map(encodeURIComponent).join('/')
  return `${client.baseUrl}/a/${path}`
}

async function waitAndReport(
  context: CliContext,
  client: Touchstone,
  flags: Flags,
  { aiComponentId: componentId, id: experimentId }: ExperimentDetail,
): Promise<void> {
  const { signal } = context
  const named = `${experimentId} --component ${componentId}`
  const experiment = await waitOnServer(context, {
    what: 'experiment',
    first: 'Waiting for the first answers',
    wait: ({ update }) =>
      waitForExperiment(client, { componentId, experimentId, signal, onProgress: (sent) => update(describe(sent)) }),
    again: `touchstone experiment watch ${named}`,
    cancel: `touchstone experiment cancel ${named}`,
  })
  const results = await client.experiments.results(componentId, experimentId, { signal })
  if (flags.json) context.terminal.data(`${printableJson({ ...experiment, results })}\n`)
  else for (const line of reportOf(experiment, results)) context.terminal.data(`${escapeLine(line)}\n`)
  if (experiment.status === 'failed') throw new CliError(`The experiment failed: ${experiment.error}`, EXIT.unexpected)
}

const PHASES: Record<string, string> = {
  created: 'Waiting',
  searching: 'Searching',
  choosing: 'Choosing finalists',
  testing: 'Testing on the test items',
}

function describe({ phase, progress: { proposals, validated }, spentUsd }: ExperimentProgress): string {
  const cost = spentUsd > 0 ? [`${spentUsd.toPrecision(3)} USD`] : []
  return [PHASES[phase] ?? phase, `${proposals} proposals`, `${validated} validated`, ...cost].join(', ')
}

const ENDS_WITHOUT_COMPARISON: Record<string, string> = {
  noFinalist: 'no better proposal',
  noVerdict: 'no verdict',
}

/** The verdict first, then the versions that people can deploy, what to be careful about, and the cost. */
function reportOf(
  { reason }: ExperimentDetail,
  { verdict, summary, test, warnings, cost }: ExperimentResults,
): string[] {
  const word = verdict === null ? undefined : (ENDS_WITHOUT_COMPARISON[verdict] ?? verdictText(verdict))
  const finalists = test?.finalists ?? []
  return [
    word === undefined ? summary : `${word}: ${summary}`,
    ...(reason === null ? [] : [`The search ended: ${reason}`]),
    ...finalists.map(({ iteration, version }) => `Proposal ${iteration} is version ${version} of the prompt.`),
    ...warnings.map((warning) => `Note: ${warning}`),
    `Cost: ${Number(cost.totalUsd.toPrecision(3))} USD.`,
  ]
}

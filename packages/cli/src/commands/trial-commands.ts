import type { TrialDetail } from 'touchstone-sdk'
import { type Touchstone, waitForTrial } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { checkOutputs } from '../evaluation-report/write-outputs.ts'
import { EXIT } from '../exit-code-values.ts'
import { waitOnServer } from '../output/wait-on-server.ts'
import { printList, printResource } from '../print-resource.ts'
import { openSession } from '../session.ts'
import { EXIT_OF_TRIAL, readTrialReport } from '../trial-report/trial-report.ts'
import { writeTrialReport } from '../trial-report/write-trial-report.ts'
import { readPlan } from './plan-file.ts'
import { resolveTrialPlan } from './plan-trial.ts'

type Flags = CommonFlags & { component?: string }
type RunFlags = { wait?: boolean; dryRun?: boolean }
type WaitFlags = Flags & { gate?: boolean; junit?: string; summary?: boolean }

/** Starts a trial. With `--wait`, waits for its end and reports it. */
export async function runTrial(this: CliContext, flags: WaitFlags & RunFlags, file: string): Promise<void> {
  const plan = await readPlan(this, file, { what: 'a trial', example: 'dataset and variants' })
  const { evaluation } = plan.fields
  checkWaiting(this, flags, evaluation)
  const { client, project, component: find } = await openSession(this, flags)
  const component = await find(flags.component ?? plan.component)
  const { signal } = this
  const body = await resolveTrialPlan(plan, { client, componentId: component.id, dataset: project?.dataset, signal })
  // Rejects an invalid plan before anything is started, and reports what it would cost.
  const estimate = await client.trials.estimate(component.id, body, { signal })
  if (flags.dryRun) return printResource(this, flags, estimate)
  this.terminal.message(estimate.summary)
  const trial = await client.trials.create(component.id, body, { signal })
  if (!flags.wait && !isReported(flags)) return printResource(this, flags, trial)
  this.terminal.message(`Started the trial ${trial.id}.`)
  await waitAndReport(this, client, flags, { component, trialId: trial.id })
}

/** Continues to wait for a trial, for example after Ctrl-C. */
export async function waitForTrialEnd(this: CliContext, flags: WaitFlags, named: string): Promise<void> {
  const { client, component: find } = await openSession(this, flags)
  const component = await find(flags.component)
  const trial = await client.trials.find(component.id, named, { signal: this.signal })
  checkWaiting(this, flags, trial.plan.evaluation)
  await waitAndReport(this, client, flags, { component, trialId: trial.id })
}

export async function listTrials(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id } = await component(flags.component)
  const entries = await client.trials.list(id, {}, { signal: this.signal }).toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'status', 'endedBy', 'calls', 'createdAt'] })
}

export async function getTrial(this: CliContext, flags: Flags, named: string): Promise<void> {
  const { trial } = await openTrial(this, flags, named)
  printResource(this, flags, trial)
}

export async function retryTrial(this: CliContext, flags: Flags, named: string): Promise<void> {
  const { client, trial } = await openTrial(this, flags, named)
  printResource(this, flags, await client.trials.retry(trial.aiComponentId, trial.id, { signal: this.signal }))
}

export async function cancelTrial(this: CliContext, flags: Flags, named: string): Promise<void> {
  const { client, trial } = await openTrial(this, flags, named)
  printResource(this, flags, await client.trials.cancel(trial.aiComponentId, trial.id, { signal: this.signal }))
}

async function openTrial(context: CliContext, flags: Flags, named: string) {
  const { client, component } = await openSession(context, flags)
  const { id } = await component(flags.component)
  return { client, trial: await client.trials.find(id, named, { signal: context.signal }) }
}

function isReported({ gate, junit, summary }: WaitFlags): boolean {
  return gate === true || junit !== undefined || summary === true
}

/** What cannot be decided or written is found before a call has cost anything. */
function checkWaiting(context: CliContext, flags: WaitFlags, evaluation: unknown): void {
  const hasGate = typeof evaluation === 'object' && evaluation !== null && 'gate' in evaluation
  if (flags.gate && !hasGate)
    throw new CliError('--gate needs a gate: set evaluation.gate in the plan, with a metric and a margin.', EXIT.usage)
  if (flags.junit !== undefined && (evaluation === undefined || evaluation === null))
    throw new CliError('--junit has the cases of evaluations: set evaluation in the plan.', EXIT.usage)
  checkOutputs(context, flags, false)
}

interface Started {
  component: { id: string; workspaceId: string }
  trialId: string
}

async function waitAndReport(
  context: CliContext,
  client: Touchstone,
  flags: WaitFlags,
  { component, trialId }: Started,
) {
  const trial = await waitWithProgress(context, client, { componentId: component.id, trialId })
  const { workspaceId } = component
  const report = await readTrialReport(client, { trial, workspaceId, signal: context.signal })
  await writeTrialReport(context, client, flags, report)
  if (trial.status === 'failed') throw new CliError(`The trial failed: ${trial.error}`, EXIT.unexpected)
  if (flags.gate) context.exitCode = EXIT_OF_TRIAL[report.outcome]
}

async function waitWithProgress(
  context: CliContext,
  client: Touchstone,
  { componentId, trialId }: { componentId: string; trialId: string },
): Promise<TrialDetail> {
  const named = `${trialId} --component ${componentId}`
  return waitOnServer(context, {
    what: 'trial',
    first: 'Waiting for calls',
    wait: ({ update }) =>
      waitForTrial(client, {
        componentId,
        trialId,
        signal: context.signal,
        onProgress: (progress, spentUsd, waiting) => update(describeProgress(progress, spentUsd, waiting)),
      }),
    again: `touchstone trial wait ${named}`,
    cancel: `touchstone trial cancel ${named}`,
  })
}

function describeProgress(
  { total, done, failed, skipped }: TrialDetail['progress'],
  spentUsd: number,
  waiting: TrialDetail['waiting'],
): string {
  const counts = Object.entries({ failed, skipped }).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  const cost = spentUsd > 0 ? [`${spentUsd.toPrecision(3)} USD`] : []
  const state = [`${done} of ${total} calls`, ...counts, ...cost].join(', ')
  const [first] = waiting
  if (!first) return state
  const variant = first.variant === null ? '' : `${first.variant}: `
  return `${state}. ${variant}${first.summary}${first.until === null ? '' : `, at the earliest at ${first.until}`}`
}

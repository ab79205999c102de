import type { EvaluationDetail } from 'touchstone-sdk'
import { type Touchstone, waitForEvaluation } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { comparedRuns } from '../evaluation-report/compared-runs.ts'
import { buildReport, EXIT_OF_OUTCOME, TURNED_MAX } from '../evaluation-report/evaluation-report.ts'
import { readTurnedCases } from '../evaluation-report/read-cases.ts'
import { checkOutputs, type OutputFlags, writeOutputs } from '../evaluation-report/write-outputs.ts'
import { EXIT } from '../exit-code-values.ts'
import { waitOnServer } from '../output/wait-on-server.ts'
import { printResource } from '../print-resource.ts'
import { openSession, type Session } from '../session.ts'
import { type EvaluationFlags, planEvaluation } from './plan-evaluation.ts'

const EVALUATIONS = '/components/{componentId}/evaluations'

type EvalFlags = CommonFlags & OutputFlags & { component?: string }

/** Starts an evaluation, waits for it and reports it. The exit code is that of its gate. */
export async function runEvaluation(this: CliContext, flags: EvalFlags & EvaluationFlags): Promise<void> {
  const session = await openSession(this, flags)
  const component = await session.component(flags.component)
  const { signal } = this
  const { client, project } = session
  const plan = await planEvaluation(flags, { client, project, componentId: component.id, signal })
  checkOutputs(this, flags, plan.config['baselineRunId'] !== undefined)
  const started = await startEvaluation(this, client, { componentId: component.id, plan })
  await waitAndReport(this, session, flags, { component, evaluationId: started.id })
}

/** Starts an evaluation and does not wait for it. */
export async function createEvaluation(
  this: CliContext,
  flags: CommonFlags & { component?: string } & EvaluationFlags,
): Promise<void> {
  const { client, project, component: find } = await openSession(this, flags)
  const { id: componentId } = await find(flags.component)
  const plan = await planEvaluation(flags, { client, project, componentId, signal: this.signal })
  printResource(this, flags, await startEvaluation(this, client, { componentId, plan }))
}

/** Continues to wait for an evaluation, for example after Ctrl-C. */
export async function waitForEnd(this: CliContext, flags: EvalFlags, evaluationId: string): Promise<void> {
  const session = await openSession(this, flags)
  const component = await session.component(flags.component)
  const { config } = await session.client.evaluations.get(component.id, evaluationId, { signal: this.signal })
  checkOutputs(this, flags, config['baselineRunId'] !== undefined)
  await waitAndReport(this, session, flags, { component, evaluationId })
}

interface Planned {
  componentId: string
  plan: Awaited<ReturnType<typeof planEvaluation>>
}

/** The estimate rejects an invalid config before anything is started, and reports cost and missing items. */
async function startEvaluation({ terminal, signal }: CliContext, client: Touchstone, { componentId, plan }: Planned) {
  const query = { dry_run: true, ...(plan.config['gate'] !== undefined && { include: 'gate' as const }) }
  const estimate = await client.request('POST', EVALUATIONS, { params: { componentId }, query, body: plan, signal })
  if ('summary' in estimate) {
    terminal.message(estimate.summary)
    if (estimate.gate) terminal.message(estimate.gate.summary)
  }
  return client.evaluations.create(componentId, plan, { signal })
}

interface Started {
  component: { id: string; name: string; workspaceId: string }
  evaluationId: string
}

async function waitAndReport(
  context: CliContext,
  session: Session,
  flags: EvalFlags,
  { component, evaluationId }: Started,
) {
  const { client, settings } = session
  const evaluation = await waitWithProgress(context, client, { componentId: component.id, evaluationId })
  const path = [component.workspaceId, 'c', component.id, 'evaluations', evaluationId].map(encodeURIComponent).join('/')
  const url = `${settings.url}/a/${path}`
  if (evaluation.status === 'failed') {
    throw new CliError(`The evaluation failed: ${evaluation.error}\n${url}`, EXIT.unexpected)
  }
  const runs = comparedRuns(evaluation, context.signal)
  const turned = runs ? await readTurnedCases(client, runs, TURNED_MAX) : []
  const report = buildReport({ evaluation, url, turned })
  await writeOutputs(context, client, flags, { report, runs, project: `${component.name}/${evaluation.datasetId}` })
  context.exitCode = EXIT_OF_OUTCOME[report.outcome]
}

async function waitWithProgress(
  context: CliContext,
  client: Touchstone,
  { componentId, evaluationId }: { componentId: string; evaluationId: string },
): Promise<EvaluationDetail> {
  const named = `${evaluationId} --component ${componentId}`
  return waitOnServer(context, {
    what: 'evaluation',
    first: 'Evaluating',
    wait: ({ update }) =>
      waitForEvaluation(client, {
        componentId,
        evaluationId,
        signal: context.signal,
        onProgress: (progress) => update(describeProgress(progress)),
      }),
    again: `touchstone eval wait ${named}`,
    cancel: `touchstone evaluations cancel ${named}`,
  })
}

function describeProgress({ total, done, failed, skipped }: EvaluationDetail['progress']): string {
  return `Evaluating: ${done} of ${total} scores${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

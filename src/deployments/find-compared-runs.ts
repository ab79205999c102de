/** The two runs that a move rests on: those that the caller names, or the newest evaluated run of each version. */
import { badRequest } from '../base/errors.ts'
import { type ComparedRun, findComparedRun } from '../comparisons/pairing/comparison-queries.ts'
import { findDecision } from '../decisions/decision-queries.ts'
import type { GivenEvidence } from '../prompts/evidence-schemas.ts'
import type { Queries } from '../storage/db.ts'
import {
  findNewestRun,
  type PromptVersionRef,
  shownRun,
  type VersionedPrompt,
  versionName,
  versionProblem,
} from './find-version-runs.ts'
import type { EvaluatedRun } from './run-version-queries.ts'

export type ComparedVersions = {
  prompt: VersionedPrompt
  dataset: { id: string; name: string }
  metric: string
  baseline: PromptVersionRef
  candidate: PromptVersionRef
}

export type RunPair = { baseline: EvaluatedRun; candidate: EvaluatedRun; decisionId: string | null }

/** `problem` is the reason why there are none, `remedy` what to do about it. */
export type FoundPair = RunPair | { problem: string; remedy: string }

export async function findNewestPair(q: Queries, compared: ComparedVersions): Promise<FoundPair> {
  const { prompt, dataset, metric, baseline, candidate } = compared
  const runs: EvaluatedRun[] = []
  for (const version of [candidate, baseline]) {
    const found = await findNewestRun(q, prompt, { datasetId: dataset.id, metric, version })
    if ('problem' in found) {
      const named = versionName(prompt, version.number)
      return {
        problem: `On dataset ${dataset.name}, ${found.problem}.`,
        remedy: `Run version ${version.number} over it so that all traces name ${named}, evaluate the run with ${metric}, then move the label again.`,
      }
    }
    runs.push(found.run)
  }
  const [ofCandidate, ofBaseline] = runs
  if (!ofCandidate || !ofBaseline) return { problem: 'There are no runs.', remedy: '' }
  return { candidate: ofCandidate, baseline: ofBaseline, decisionId: null }
}

/** The runs that the caller names. Throws 400 if they do not exist. */
export async function findGivenPair(
  q: Queries,
  { prompt, dataset, baseline, candidate }: ComparedVersions,
  given: GivenEvidence,
): Promise<FoundPair> {
  const named = await namedRuns(q, prompt, given)
  if ('problem' in named) return named
  const sides = [
    [named.candidate, candidate],
    [named.baseline, baseline],
  ] as const
  const remedy = `Give a comparison of version ${candidate.number} with version ${baseline.number} on dataset ${dataset.name}, or leave out evidence: then the newest evaluated runs of both are compared.`
  for (const [{ datasetId, ...run }, version] of sides) {
    if (datasetId !== dataset.id) return { problem: `Run ${shownRun(run)} is of another dataset.`, remedy }
    const problem = await versionProblem(q, prompt, { run, version })
    if (problem !== undefined) return { problem: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, remedy }
  }
  return named
}

type NamedRun = EvaluatedRun & { datasetId: string }

/** The runs of a decision or comparison, of any versions. */
async function namedRuns(
  q: Queries,
  { workspaceId, componentId }: VersionedPrompt,
  given: GivenEvidence,
): Promise<
  { baseline: NamedRun; candidate: NamedRun; decisionId: string | null } | { problem: string; remedy: string }
> {
  const find = async (runId: string): Promise<NamedRun | undefined> => {
    const run = await findComparedRun(q, { workspaceId, runId })
    return run?.componentId === componentId ? toNamedRun(run) : undefined
  }
  if ('comparison' in given) {
    const { baselineRunId, candidateRunId } = given.comparison
    const [baseline, candidate] = [await find(baselineRunId), await find(candidateRunId)]
    if (!baseline) throw badRequest('evidence.comparison.baselineRunId must be the id of a run of this component')
    if (!candidate) throw badRequest('evidence.comparison.candidateRunId must be the id of a run of this component')
    return { baseline, candidate, decisionId: null }
  }
  const { decisionId } = given
  const decision = await findDecision(q, { workspaceId, componentId, decisionId })
  if (!decision) throw badRequest('evidence.decisionId must be the id of a decision of this component')
  if (decision.supersededBy !== null)
    return {
      problem: 'The decision was superseded by a later one on the same runs.',
      remedy: `Give that one, ${decision.supersededBy}, if it releases the version.`,
    }
  if (decision.decision !== 'release')
    return {
      problem: `The decision is ${decision.decision === 'hold' ? 'to hold the version' : 'undecided'}.`,
      remedy: 'Record a decision to release it, or give the comparison instead.',
    }
  const [baseline, candidate] = [await find(decision.baselineRunId), await find(decision.candidateRunId)]
  if (!baseline || !candidate)
    return {
      problem: 'The runs of the decision were deleted, so which versions they were of cannot be shown.',
      remedy: 'Run and evaluate both versions again, then move the label again.',
    }
  return { baseline, candidate, decisionId }
}

function toNamedRun({ runId, name, traceCount, datasetId }: ComparedRun): NamedRun {
  return { runId, runName: name, traceCount, datasetId }
}

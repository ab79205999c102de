import type { Clock } from '../base/clock.ts'
import type { Principal } from '../base/principal.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import type { GivenEvidence, LabelGate } from '../prompts/evidence-schemas.ts'
import type { Label } from '../prompts/label-queries.ts'
import { findPrompt } from '../prompts/prompt-queries.ts'
import { largestOf } from '../prompts/required-verdicts.ts'
import { listVersionTimes } from '../prompts/version-queries.ts'
import type { Queries } from '../storage/db.ts'
import { type Assessment, assessVersion, withoutComparison } from './assess-version.ts'
import type { VersionedPrompt } from './find-version-runs.ts'

export async function findVersionedPrompt(
  q: Queries,
  target: { workspaceId: string; componentId: string; promptId: string },
): Promise<VersionedPrompt | undefined> {
  const [prompt] = await findPrompt(q, target)
  if (!prompt) return undefined
  const { workspaceId, componentId, promptId } = target
  return { workspaceId, componentId, promptId, name: prompt.name }
}

type Move = {
  prompt: VersionedPrompt
  label: Label
  gate: LabelGate
  version: number
  given: GivenEvidence | undefined
  by: Principal
}

/** Whether a label may give a version more weight than it has. */
export async function assessMove(q: Queries, clock: Clock, move: Move): Promise<Assessment> {
  const { prompt, label, gate, version, given, by } = move
  const served = largestOf(label.splits)
  if (served === null) return firstMove(label, version)
  const [dataset] = await findDataset(q, { ...prompt, datasetId: gate.datasetId })
  const times = await listVersionTimes(q, { ...prompt, numbers: [served, version] })
  const createdAt = times.get(version)
  const compared = {
    prompt,
    dataset: { id: gate.datasetId, name: dataset?.name ?? gate.datasetId },
    metric: gate.metric,
    baseline: { number: served, createdAt: times.get(served) ?? '' },
    candidate: { number: version, createdAt: createdAt ?? '' },
  }
  const asked = { label: label.name, gate, compared, given, readerId: by.userId }
  if (createdAt !== undefined) return assessVersion(q, clock, asked)
  const name = compared.dataset.name
  return withoutComparison(asked, {
    problem: `Version ${version} is new, so no run can be of it.`,
    remedy: `Save it without the label, run it over dataset ${name}, evaluate the run with ${gate.metric}, then move the label.`,
  })
}

/** There is nothing to compare with: someone who may change the gate decides alone. */
function firstMove({ name, change }: Label, version: number): Assessment {
  const remedy = `An admin removes the gate (PUT …/labels/${name}/protection with "gate": null), moves the label once, and sets the gate again`
  const back = change === 0 ? '.' : '; or roll the label back to what it served last.'
  const problem = `It serves nothing that version ${version} could be compared with.`
  const summary = `${problem} ${remedy}${back}`
  return {
    conditions: [{ key: 'compared', met: false, summary }],
    isMet: false,
    evidence: null,
    comparison: null,
    isHidden: false,
    error: `Label ${name} needs a verdict. ${summary}`,
  }
}

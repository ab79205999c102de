/** What moving a label to a version would be answered with, before it is tried. */
import { notFound } from '../base/errors.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import type { Split } from '../prompts/choose-version.ts'
import type { GivenEvidence } from '../prompts/evidence-schemas.ts'
import { findLabel, isListed, type Label } from '../prompts/label-queries.ts'
import { findLastNumber } from '../prompts/prompt-queries.ts'
import { largestOf, raisedVersions } from '../prompts/required-verdicts.ts'
import { findVersionNumbers } from '../prompts/version-queries.ts'
import type { Queries } from '../storage/db.ts'
import { assessMove, findVersionedPrompt } from './assess-move.ts'
import type { Assessment } from './assess-version.ts'
import { readDatasetMetrics } from './dataset-metrics.ts'
import { findRetirement } from './find-retirement.ts'
import type { VersionedPrompt } from './find-version-runs.ts'
import { itemsNeeded } from './items-needed.ts'
import { readTraffic, shareOf, spreadOf } from './label-traffic.ts'
import { recordReading } from './measure-verdicts.ts'

type Checked = {
  componentId: string
  promptId: string
  label: string
  version: number
  weight: number
  given: GivenEvidence | undefined
}

export async function checkLabel(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: Principal,
  { version, weight, given, label: name, ...target }: Checked,
) {
  const q = db.read
  const prompt = await findVersionedPrompt(q, { workspaceId: by.workspaceId, ...target })
  if (!prompt) throw notFound('Prompt')
  const stored = await findLabel(q, { ...prompt, label: name })
  const label = stored ?? newLabel(name, by)
  const { gate } = label.protection
  const served = largestOf(label.splits)
  const conditions = [roleCondition(by, label), await versionCondition(q, prompt, version)]
  const isRaised = raisedVersions(label.splits, withShare(served, { version, weight })).length > 0
  const needsVerdict = gate !== null && isRaised
  const assessment =
    gate && isRaised && conditions[1]?.met
      ? await assessMove(q, clock, { prompt, label, gate, version, given, by })
      : undefined
  const { warnings } = await recordReading({ db, clock }, by, assessment?.comparison ?? null)
  const isHidden = assessment?.isHidden === true
  const metric = assessment?.comparison?.metrics.find((one) => one.name === gate?.metric)
  const shown = isHidden ? undefined : metric
  const all = [...conditions, ...(assessment?.conditions ?? [])]
  const traffic = await readTraffic(q, prompt, { label, nowMs: clock.now() })
  return {
    label: name,
    version,
    weight,
    current: stored && isListed(stored) ? stored : null,
    change: label.change,
    baseline: served,
    gate,
    needsVerdict,
    allowed: all.every(({ met }) => met),
    error: conditions.find(({ met }) => !met)?.summary ?? (assessment && !assessment.isMet ? assessment.error : null),
    conditions: all,
    verdict: assessment?.evidence ?? null,
    metrics: isHidden ? [] : (assessment?.comparison?.metrics ?? []).filter((one) => one !== metric),
    warnings: isHidden ? [] : warnings,
    traffic,
    share: shareOf({
      ...{ version, weight, traffic, metric: gate?.metric ?? null, margin: gate?.margin ?? null },
      standardDeviation: shown && spreadOf(shown),
    }),
    itemsNeeded: gate && assessment && !assessment.isMet ? await needed(q, prompt, { gate, metric: shown }) : null,
    diff: served === null || served === version || !conditions[1]?.met ? null : { from: served, to: version },
    retirement: await findRetirement(q, { ...prompt, version }, clock.now()),
  }
}

/** The version that is served most keeps the rest. */
function withShare(served: number | null, split: Split): Split[] {
  if (served === null || served === split.version) return [split]
  return [{ version: served, weight: 100 - split.weight }, split]
}

function newLabel(name: string, { userId }: Principal): Label {
  return {
    ...{ name, change: 0, seed: 0, splits: [], protection: { minRole: 'editor', gate: null } },
    ...{ changedBy: userId, changedAt: '' },
  }
}

type Condition = { key: 'role' | 'version' | Assessment['conditions'][number]['key']; met: boolean; summary: string }

function roleCondition({ role }: Principal, { name, protection: { minRole } }: Label): Condition {
  const met = isAtLeast(role, minRole)
  const summary = met
    ? `Your role is ${role}, and moving label ${name} requires ${minRole}.`
    : minRole === 'editor'
      ? `Moving a label requires the role editor; yours is ${role}`
      : `Label ${name} is protected: changing it requires the role ${minRole} in a session; yours is ${role}`
  return { key: 'role', met, summary }
}

async function versionCondition(q: Queries, prompt: VersionedPrompt, version: number): Promise<Condition> {
  const [found] = await findVersionNumbers(q, { ...prompt, numbers: [version] })
  if (found !== undefined)
    return { key: 'version', met: true, summary: `Prompt ${prompt.name} has version ${version}.` }
  const newest = await findLastNumber(q, prompt)
  const remedy = newest === 0 ? 'save one first' : `its newest number is ${newest}`
  return { key: 'version', met: false, summary: `Prompt ${prompt.name} has no version ${version}; ${remedy}` }
}

async function needed(
  q: Queries,
  prompt: VersionedPrompt,
  { gate, metric }: Pick<Parameters<typeof itemsNeeded>[0], 'gate' | 'metric'>,
) {
  const [dataset] = await findDataset(q, { ...prompt, datasetId: gate.datasetId })
  const metrics = await readDatasetMetrics(q, { ...prompt, datasetId: gate.datasetId })
  return itemsNeeded({ gate, metric, info: metrics.get(gate.metric), available: dataset?.itemCount ?? 0 })
}

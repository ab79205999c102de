/**
 * Which versions need a verdict before a label serves more of them. All that moves a label comes here: the comparisons are measured
 * before the transaction, and counted in it only if they are still about what the label serves and asks for.
 */
import { type AppError, conflict } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context, PrepareContext } from '../http/route.ts'
import type { Split } from './choose-version.ts'
import type { Evidence, GivenEvidence, LabelGate } from './evidence-schemas.ts'
import { describeSplits, type Label } from './label-queries.ts'

/** What was found for one version, before the label is locked. */
export type MeasuredVerdict = {
  label: string
  gate: LabelGate
  /** The version of the largest weight; null if the label serves nothing. */
  baseline: number | null
  version: number
  /** Null unless the version may get more weight. */
  evidence: Evidence | null
  /** Why it may not. */
  error: string
  /** Counts that a comparison was read, and returns the evidence with what follows from that. */
  record: (context: Pick<Context, 'db' | 'clock'>) => Promise<Evidence | null>
}

type VerdictRequest = {
  componentId: string
  promptId: string
  moves: readonly { label: string; splits: readonly Split[] }[]
  evidence: GivenEvidence | undefined
}

/** Belongs to a slice below this one, which reads runs and comparisons. Changes nothing. */
export type MeasureVerdicts = (
  context: Pick<PrepareContext, 'db' | 'clock'>,
  by: Principal,
  request: VerdictRequest,
) => Promise<MeasuredVerdict[]>

/** One after the other, so that each reading has its own number. Before the label moves: a rejected move has read the comparison, too. */
export async function recordReadings(
  context: Pick<Context, 'db' | 'clock'>,
  measured: readonly MeasuredVerdict[],
): Promise<MeasuredVerdict[]> {
  const recorded: MeasuredVerdict[] = []
  for (const one of measured) recorded.push({ ...one, evidence: await one.record(context) })
  return recorded
}

/** Of several with the same weight, the first. */
export function largestOf(splits: readonly Split[]): number | null {
  const [largest] = splits.toSorted((one, other) => other.weight - one.weight)
  return largest?.version ?? null
}

/**
 * The versions that get more weight than they have, without the one of the largest weight: to give that more takes others back, as a
 * rollback does. Also one that becomes the largest because others get less or the order changes: the next move could give it all.
 */
export function raisedVersions(before: readonly Split[], after: readonly Split[]): number[] {
  const weightBefore = new Map(before.map(({ version, weight }) => [version, weight]))
  const [largest, largestAfter] = [largestOf(before), largestOf(after)]
  return after
    .filter(({ version, weight }) => version === largestAfter || weight > (weightBefore.get(version) ?? 0))
    .map(({ version }) => version)
    .filter((version) => version !== largest)
}

/** Throws 409 unless each version that gets more weight has the verdict that the label asks for. */
export function requireVerdicts(
  { name, change, splits, protection: { gate } }: Label,
  after: readonly Split[],
  measured: readonly MeasuredVerdict[],
): Evidence[] {
  if (gate === null) return []
  const baseline = largestOf(splits)
  return raisedVersions(splits, after).map((version) => {
    const found = measured.find(
      (one) => one.label === name && one.version === version && one.baseline === baseline && isSameGate(one.gate, gate),
    )
    if (!found) throw changedMeanwhile({ name, change, splits })
    if (!found.evidence) throw conflict(found.error)
    return found.evidence
  })
}

function isSameGate(one: LabelGate, other: LabelGate): boolean {
  return (
    one.datasetId === other.datasetId &&
    one.metric === other.metric &&
    one.margin === other.margin &&
    one.maxAgeDays === other.maxAgeDays
  )
}

function changedMeanwhile({ name, change, splits }: Pick<Label, 'name' | 'change' | 'splits'>): AppError {
  const state = splits.length === 0 ? 'serves nothing' : `serves ${describeSplits(splits)}`
  return conflict(
    `Label ${name} was changed while the versions were compared: it is at change ${change} and ${state}. Look at it again, and send the request again`,
  )
}

/** Measures whether labels with a gate may serve more of a version, before they are locked: a comparison may need a second. */
import { badRequest } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Comparison } from '../comparisons/compare-runs.ts'
import { type Looks, openTestSetOf, recordComparisonLook } from '../comparisons/record-comparison-look.ts'
import type { Context } from '../http/route.ts'
import { findLabel } from '../prompts/label-queries.ts'
import { largestOf, type MeasuredVerdict, type MeasureVerdicts, raisedVersions } from '../prompts/required-verdicts.ts'
import { assessMove, findVersionedPrompt } from './assess-move.ts'

/** What the routes that move labels are given. */
export const measureVerdicts: MeasureVerdicts = async ({ db, clock }, by, { moves, evidence, ...target }) => {
  const prompt = await findVersionedPrompt(db.read, { workspaceId: by.workspaceId, ...target })
  // The transaction that follows responds with 404.
  if (!prompt) return []
  const measured: MeasuredVerdict[] = []
  for (const { label: name, splits } of moves) {
    const label = await findLabel(db.read, { ...prompt, label: name })
    const gate = label?.protection.gate
    if (!label || !gate) continue
    const raised = raisedVersions(label.splits, splits)
    if (evidence && raised.length > 1)
      throw badRequest(
        `evidence is of one version, and ${raised.length} need it with these splits (${raised.join(', ')}): leave it out, then the newest evaluated runs are compared`,
      )
    for (const version of raised) {
      const assessment = await assessMove(db.read, clock, { prompt, label, gate, version, given: evidence, by })
      measured.push({
        ...{ label: name, gate, version, baseline: largestOf(label.splits) },
        evidence: assessment.isMet ? assessment.evidence : null,
        error: assessment.error,
        record: async (context) => {
          const read = await recordReading(context, by, assessment.comparison)
          return assessment.isMet && assessment.evidence ? { ...assessment.evidence, ...read } : null
        },
      })
    }
  }
  return measured
}

/** Counts a look at the comparison, and that its test set was opened, as every reading of it does. */
export async function recordReading(
  context: Pick<Context, 'db' | 'clock'>,
  { workspaceId }: Principal,
  comparison: Comparison | null,
): Promise<Looks> {
  if (!comparison) return { looks: 0, warnings: [] }
  await openTestSetOf(context, { workspaceId, ...comparison })
  return recordComparisonLook(context.db, context.clock, comparison.look)
}

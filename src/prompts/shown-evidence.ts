import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import type { Evidence } from './evidence-schemas.ts'

/** The runs that a user must rate blindly. Belongs to a slice below this one. */
export type ListBlindRuns = (q: Queries, reader: { workspaceId: string; readerId: string }) => Promise<string[]>

/** Rows with evidence as a reader may see it: without what is derived from ratings in a run that the reader must rate blindly. */
export async function withShownEvidence<Row extends { evidence: Evidence[] }>(
  q: Queries,
  { workspaceId, userId }: Principal,
  rows: readonly Row[],
  listBlindRuns: ListBlindRuns,
): Promise<Row[]> {
  if (!rows.some(({ evidence }) => evidence.some(({ isFromRatings }) => isFromRatings))) return [...rows]
  const blind = await listBlindRuns(q, { workspaceId, readerId: userId })
  const isHidden = ({ isFromRatings, baseline, candidate }: Evidence) =>
    isFromRatings && (blind.includes(baseline.runId) || blind.includes(candidate.runId))
  return rows.map((row) => ({
    ...row,
    evidence: row.evidence.map((one) => (isHidden(one) ? withoutNumbers(one) : one)),
  }))
}

function withoutNumbers(evidence: Evidence): Evidence {
  const { baseline, candidate } = evidence
  return {
    ...evidence,
    baseline: { ...baseline, mean: null, ci: null },
    candidate: { ...candidate, mean: null, ci: null },
    ...{
      verdict: null,
      summary: null,
      wins: null,
      ties: null,
      losses: null,
      difference: null,
      ci: null,
      marginCi: null,
      ratio: null,
      ratioCi: null,
      p: null,
    },
  }
}

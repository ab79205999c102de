import { seedRegression } from '../comparisons/read-comparison.ts'
import type { Seeded } from '../comparisons/seed-comparison.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'

export type SeededDecision = Seeded & { decisions: string; decision: string; decisionId: string; owner: Client }

/** A decision not to release a run of which nine of forty items got worse. */
export async function seedDecision(app: TestApp, fields: Record<string, unknown> = {}): Promise<SeededDecision> {
  const seeded = await seedRegression(app)
  const decisions = `${seeded.component}/decisions`
  const body = { ...runsOf(seeded), decision: 'hold', note: 'Bring back the old prompt.', ...fields }
  const decisionId = await seeded.client.create(decisions, body)
  const owner = await browserWith(app, seeded.workspaceId, 'owner')
  return { ...seeded, decisions, decision: `${decisions}/${decisionId}`, decisionId, owner }
}

export function runsOf({ baseline, candidate }: Seeded) {
  return { baselineRunId: baseline.runId, candidateRunId: candidate.runId }
}

/** The token of a new link to the decision, in an application that allows links. */
export async function shareDecision({ owner, decision }: SeededDecision, expiresInDays = 7) {
  await owner.patch('/sharing', { linksAllowed: true })
  const { status, text, body } = await owner.post(`${decision}/links`, { expiresInDays })
  if (status !== 201) throw new Error(text)
  const url = new URL(String(body.url))
  return { path: url.pathname, linkId: String(body.id), body }
}

/** Whether the provider of a version ends its model: a move to it holds only until then. */
import { findModelsByName } from '../connections/connection-queries.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import { findVersion } from '../prompts/version-queries.ts'
import type { Queries } from '../storage/db.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

export type RetiredModel = { provider: string; model: string; on: string; daysLeft: number; summary: string }

/** Null if nothing is known of an end. The default model of the server belongs to no connection, which has the days. */
export async function findRetirement(
  q: Queries,
  { workspaceId, promptId, version }: { workspaceId: string; promptId: string; version: number },
  nowMs: number,
): Promise<RetiredModel | null> {
  const content = (await findVersion(q, { workspaceId, promptId, number: version }))?.content
  if (!content || content.provider === null) return null
  const { provider } = content
  const connection = await findModelsByName(q, workspaceId, provider)
  const model = content.model ?? defaultModelOf(connection?.models ?? [], 'completion')
  const retirement = connection?.retirements.find((one) => one.model === model)
  if (!retirement) return null
  const daysLeft = Math.round((Date.parse(retirement.on) - Math.floor(nowMs / DAY_MS) * DAY_MS) / DAY_MS)
  const summary = `${retirement.model} of ${provider} ${whenText(retirement.on, daysLeft)}.`
  return { provider, ...retirement, daysLeft, summary }
}

function whenText(on: string, daysLeft: number): string {
  if (daysLeft < 0) return `ended on ${on}`
  if (daysLeft === 0) return `ends today, ${on}`
  return `ends on ${on}, in ${daysLeft === 1 ? 'a day' : `${daysLeft} days`}`
}

import { expect } from 'vitest'
import type { Seeded } from '../comparisons/seed-comparison.ts'
import type { Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'

/** A prompt of which the two runs are the first versions, and whose label asks for a verdict by ratings. Returns its path. */
export async function gatePrompt(
  app: TestApp,
  { client, component, workspaceId, datasetId, baseline, candidate }: Seeded,
  admin: Client,
): Promise<string> {
  const path = `${component}/prompts/${await client.create(`${component}/prompts`, { name: 'answer' })}`
  for (const number of [1, 2]) {
    const content = { messages: [{ role: 'user', content: `Text ${number}` }] }
    expect((await client.post(`${path}/versions`, { content })).body.number).toBe(number)
  }
  // The traces are older than the prompt.
  await app.storage.transaction(async (tx) => {
    await tx
      .updateTable('prompt_versions')
      .set({ created_at: '2026-01-01T00:00:00.000Z' })
      .where('workspace_id', '=', workspaceId)
      .execute()
    for (const [place, { traceIds }] of [baseline, candidate].entries())
      await tx
        .updateTable('traces')
        .set({ prompts: JSON.stringify([[`answer@${place + 1}`, null, null]]) })
        .where('workspace_id', '=', workspaceId)
        .where('trace_id', 'in', traceIds)
        .execute()
  })
  const splits = [{ version: 1, weight: 100 }]
  expect((await client.send('PUT', `${path}/labels/production`, { body: { splits } })).status).toBe(200)
  const gate = { datasetId, metric: 'rating', margin: 0.3 }
  const { status, text } = await admin.send('PUT', `${path}/labels/production/protection`, {
    body: { minRole: 'editor', gate },
  })
  expect(status, text).toBe(200)
  return path
}

import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { moveTo, protect, runAndEvaluate, seedDeployment, seedGated } from './seed-deployment.ts'

describeEachEngine('PUT …/labels/{label}/protection', (app) => {
  it('stores the gate, keeps it without the field, removes it with null, and is recorded', async () => {
    const seeded = await seedGated(app())
    const { admin, path, datasetId } = seeded
    const gate = { datasetId, metric: 'right', margin: 0.1, maxAgeDays: 14 }
    const put = (body: unknown) => admin.send('PUT', `${path}/labels/production/protection`, { body })
    expect((await put({ minRole: 'admin' })).body).toMatchObject({ change: 1, protection: { minRole: 'admin', gate } })
    expect((await put({ minRole: 'editor', gate: { ...gate, maxAgeDays: undefined } })).body).toMatchObject({
      protection: { minRole: 'editor', gate },
    })
    expect((await put({ minRole: 'editor', gate: null })).body).toMatchObject({
      protection: { minRole: 'editor', gate: null },
    })
    const log = await admin.list('/audit-log')
    expect(log.filter(({ action }) => action === 'prompt-label.protection-changed')).toMatchObject([
      { detail: 'production: editor, no gate' },
      { detail: `production: editor, right within 0.1 on dataset ${datasetId}` },
      { detail: `production: admin, right within 0.1 on dataset ${datasetId}` },
      { detail: `production: editor, right within 0.1 on dataset ${datasetId}` },
    ])
  })

  it('a component with a protected label is deleted by an admin only, as the label and its prompt are', async () => {
    const seeded = await seedGated(app())
    const { client, admin, component, path } = seeded
    const denied =
      'Label production of prompt answer is protected: deleting the component requires the role admin in a session; yours is editor'
    expectError(await client.delete(component), 403, denied)
    expect((await client.get(`${component}/served-prompts/answer`)).status).toBe(200)
    await admin.send('PUT', `${path}/labels/production/protection`, { body: { minRole: 'admin', gate: null } })
    expectError(await client.delete(component), 403, denied)
    expect((await admin.delete(component)).status).toBe(204)
    const other = await seedGated(app())
    expect((await other.admin.delete(other.path)).status).toBe(204)
    expect((await other.client.delete(other.component)).status).toBe(204)
  })

  it('rejects what could never be decided, with the remedy', async () => {
    const seeded = await seedDeployment(app())
    expectError(
      await protect(seeded),
      400,
      'No completed evaluation on dataset Questions has the metric right; no run of it was evaluated yet. Evaluate a run with right first, or choose another metric',
    )
    await runAndEvaluate(seeded, 1)
    const other = await seedDeployment(app())
    const wrong: [Record<string, unknown>, string | RegExp][] = [
      [{ datasetId: other.datasetId }, 'gate.datasetId must be the id of a dataset of this component'],
      [{ datasetId: seeded.promptId }, 'gate.datasetId must be the id of a dataset of this component'],
      [
        { metric: 'rihgt' },
        'No completed evaluation on dataset Questions has the metric rihgt; it has right. Evaluate a run with rihgt first, or choose another metric',
      ],
      [{ margin: 1 }, 'The margin of right must be smaller than its scale, which is 0 to 1; 1 would accept every loss'],
      [
        { metric: 'costUsd', margin: 0.1 },
        'The margin of costUsd is a ratio above 1 and at most 10, such as 1.1, not 0.1',
      ],
      [{ margin: -0.1 }, /margin/],
      [{ maxAgeDays: 0 }, /maxAgeDays/],
      [{ maxAgeDays: 1.5 }, /maxAgeDays/],
      [{ more: true }, /more/],
    ]
    for (const [gate, message] of wrong) expectError(await protect(seeded, gate), 400, message)
    expect((await protect(seeded, { metric: 'costUsd', margin: 1.1 })).status).toBe(200)
    expect((await protect(seeded, { metric: 'error', margin: 0.05 })).status).toBe(200)
    const key = await seeded.client.send('PUT', `${seeded.path}/labels/production/protection`, {
      body: { minRole: 'editor' },
    })
    expect(key.status).toBe(401)
    const editor = await browserWith(app(), seeded.workspaceId, 'editor')
    expectError(await protect({ ...seeded, admin: editor }), 403)
  })

  it('a dataset cannot be deleted while a gate names it, whichever of the two comes first', async () => {
    const seeded = await seedGated(app())
    await protect(seeded, null)
    const [removed, protectedNow] = await Promise.all([seeded.client.delete(seeded.dataset), protect(seeded)])
    const statuses = [removed.status, protectedNow.status]
    expect([
      [204, 400],
      [409, 200],
    ]).toContainEqual(statuses)
  })

  it('a gate of a deleted prompt stops no deletion, and purging the component takes all of it', async () => {
    const seeded = await seedGated(app())
    expectError(await seeded.client.delete(seeded.path), 403, /deleting it requires the role admin/)
    expect((await seeded.admin.delete(seeded.path)).status).toBe(204)
    expect((await seeded.client.delete(seeded.dataset)).status).toBe(204)
    const again = await seedGated(app())
    expect((await again.admin.delete(again.component)).status).toBe(204)
    expect((await moveTo(again, 2)).status).toBe(404)
  })
})

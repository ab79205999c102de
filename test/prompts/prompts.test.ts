import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'
import { contentOf, move, saveTexts, seedPrompt } from './seed-prompt.ts'

describeEachEngine('prompts', (app) => {
  it('POST 201 creates a prompt, GET 200 reads it, PATCH 200 changes its description', async () => {
    const { client } = await app().newWorkspace()
    const prompts = `/components/${await client.create('/components', { name: 'Support' })}/prompts`
    const { status, body } = await client.post(prompts, { name: 'team/answer_v2', description: 'Invoices' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: NEW_ID,
      name: 'team/answer_v2',
      description: 'Invoices',
      createdAt: TIMESTAMP,
      updatedAt: body.createdAt,
    })
    expect((await client.get(`${prompts}/${body.id}`)).body).toEqual(body)
    expect(await client.list(prompts)).toEqual([body])
    const changed = await client.patch(`${prompts}/${body.id}`, { description: null })
    expect(changed.body).toEqual({ ...body, description: null, updatedAt: TIMESTAMP })
    expectError(await client.patch(`${prompts}/${body.id}`, { description: '', name: 'other' }), 400, /name/)
  })

  it('have a name that is unique in their component, also when two are created at once', async () => {
    const { client, componentId } = await seedPrompt(app())
    const prompts = `/components/${componentId}/prompts`
    expectError(
      await client.post(prompts, { name: 'answer' }),
      409,
      'The component has a prompt answer already; save a version of it, or choose another name',
    )
    const twice = await Promise.all([1, 2].map(() => client.post(prompts, { name: 'twice' })))
    expect(twice.map(({ status }) => status).toSorted()).toEqual([201, 409])
    for (const name of ['', 'a b', '.hidden', 'ä', 'x'.repeat(129)])
      expectError(await client.post(prompts, { name }), 400, /name/)
    const other = await client.create('/components', { name: 'Other' })
    expect((await client.post(`/components/${other}/prompts`, { name: 'answer' })).status).toBe(201)
  })

  it('are created once for an Idempotency-Key', async () => {
    const { client, componentId } = await seedPrompt(app())
    const create = () => client.post(`/components/${componentId}/prompts`, { name: 'once' }, { 'idempotency-key': 'k' })
    const [first, second] = [await create(), await create()]
    expect([first.status, second.text]).toEqual([201, first.text])
  })

  it('are limited to 1,000 in a component', async () => {
    const { client, componentId, workspaceId } = await seedPrompt(app())
    const at = '2026-01-01T00:00:00.000Z'
    const rows = Array.from({ length: 998 }, (_, place) => ({
      workspace_id: workspaceId,
      id: `01890a5d-ac96-774b-bcce-${String(place).padStart(12, '0')}`,
      component_id: componentId,
      name: `p${place}`,
      description: null,
      last_number: 0,
      label_changes: 0,
      created_at: at,
      updated_at: at,
      deleted_at: null,
    }))
    await app().storage.transaction((tx) => tx.insertInto('prompts').values(rows).execute())
    const create = (name: string) => client.post(`/components/${componentId}/prompts`, { name })
    expect((await create('last')).status).toBe(201)
    expectError(await create('more'), 409, 'A component has at most 1000 prompts; delete one first')
  })

  it('DELETE 204 hides a prompt at once, deletes its rows, and frees its name', async () => {
    const prompt = await seedPrompt(app())
    const { client, path, served, componentId, workspaceId } = prompt
    await saveTexts(prompt, 3)
    await move(prompt, 'production', 3)
    await move(prompt, 'production', 2)
    expect((await client.delete(path)).status).toBe(204)
    for (const gone of [path, `${path}/versions`, `${path}/versions/1`, `${path}/labels`, `${path}/live`])
      expectError(await client.get(gone), 404, 'Prompt not found')
    expectError(await client.get(served), 404, 'The component has no prompt answer.')
    expectError(await client.post(`${path}/versions`, { content: contentOf('a') }), 404, 'Prompt not found')
    await waitForJobs(app().storage, workspaceId)
    expect(Object.keys(await countRows(app().storage, workspaceId)).filter((name) => /prompt/.test(name))).toEqual([])
    expect((await client.post(`/components/${componentId}/prompts`, { name: 'answer' })).status).toBe(201)
  })

  it('go with their component', async () => {
    const prompt = await seedPrompt(app())
    const { client, path, served, componentId, workspaceId } = prompt
    await saveTexts(prompt, 2)
    await move(prompt, 'production', 2)
    expect((await client.delete(`/components/${componentId}`)).status).toBe(204)
    expectError(await client.get(path), 404, 'Prompt not found')
    expectError(await client.get(served), 404, 'Component not found')
    await waitForJobs(app().storage, workspaceId)
    expect(Object.keys(await countRows(app().storage, workspaceId)).filter((name) => /prompt/.test(name))).toEqual([])
  })

  it('leave a trail: deletions and every change of a label are in the audit log', async () => {
    const prompt = await seedPrompt(app())
    const { client, path, promptId, workspaceId } = prompt
    const admin = await browserWith(app(), workspaceId, 'admin')
    await saveTexts(prompt, 3)
    await move(prompt, 'production', 1)
    await move(prompt, 'production', [
      [1, 90],
      [2, 10],
    ])
    await client.post(`${path}/labels/production/rollback`, {})
    await admin.send('PUT', `${path}/labels/staging/protection`, { body: { minRole: 'admin' } })
    await client.delete(`${path}/labels/production`)
    await client.delete(`${path}/versions/3`)
    await admin.delete(path)
    const events = (await admin.list('/audit-log')).filter(({ resourceId }) => resourceId === promptId)
    expect(events.map(({ action, detail }) => [action, detail]).reverse()).toEqual([
      ['prompt-label.moved', 'production: 100 % version 1'],
      ['prompt-label.moved', 'production: 90 % version 1, 10 % version 2'],
      ['prompt-label.rolled-back', 'production: 100 % version 1'],
      ['prompt-label.protection-changed', 'staging: admin'],
      ['prompt-label.deleted', 'production'],
      ['prompt-version.deleted', 'answer@3'],
      ['prompt.deleted', null],
    ])
  })
})

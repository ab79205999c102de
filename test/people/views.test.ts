import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith, personWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'

describeEachEngine('/views', (app) => {
  it('POST 201 saves a view, PATCH 200 changes the given fields, DELETE 204 deletes it', async () => {
    const { workspaceId } = await app().newWorkspace()
    const person = await personWith(app(), workspaceId, 'viewer')
    const viewer = app().asPerson(person, workspaceId)
    const given = { name: 'Slow', query: 'duration:>5s', sort: '-duration', columns: ['name', 'duration'] }
    const { status, body } = await viewer.post('/views', given)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: NEW_ID,
      ...given,
      shared: false,
      userId: person.userId,
      createdAt: TIMESTAMP,
      updatedAt: body.createdAt,
    })
    const changed = await viewer.patch(`/views/${body.id}`, { name: 'Very slow', sort: null })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({ ...body, name: 'Very slow', sort: null, updatedAt: TIMESTAMP })
    expect(await viewer.list('/views')).toEqual([changed.body])
    expect((await viewer.delete(`/views/${body.id}`)).status).toBe(204)
    expectError(await viewer.delete(`/views/${body.id}`), 404, 'View not found')
    expect((await viewer.post('/views', { name: 'Only a name' })).body).toMatchObject({
      query: '',
      sort: null,
      columns: [],
    })
    for (const wrong of [{}, { name: '' }, { name: 'a', columns: [1] }, { name: 'a', extra: 1 }])
      expectError(await viewer.post('/views', wrong), 400)
  })

  it('are seen by their author only, unless they are shared', async () => {
    const { workspaceId } = await app().newWorkspace()
    const editor = await browserWith(app(), workspaceId, 'editor')
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    const own = await editor.create('/views', { name: 'Own' })
    const shared = await editor.create('/views', { name: 'Shared', shared: true })
    expect((await viewer.list('/views')).map(({ id }) => id)).toEqual([shared])
    expect((await editor.list('/views')).map(({ id }) => id)).toEqual([shared, own])
    expectError(await viewer.patch(`/views/${own}`, { name: 'a' }), 404, 'View not found')
    expectError(await viewer.delete(`/views/${own}`), 404, 'View not found')
    expectError(await viewer.patch(`/views/${shared}`, { name: 'a' }), 403)
    expectError(await viewer.delete(`/views/${shared}`), 403)
    const admin = await browserWith(app(), workspaceId, 'admin')
    expectError(await admin.delete(`/views/${own}`), 404, 'View not found')
    expect((await admin.delete(`/views/${shared}`)).status).toBe(204)
  })

  it('can be shared by editors, and not by those below', async () => {
    const { workspaceId } = await app().newWorkspace()
    const annotator = await browserWith(app(), workspaceId, 'annotator')
    expectError(await annotator.post('/views', { name: 'a', shared: true }), 403)
    const id = await annotator.create('/views', { name: 'a' })
    expectError(await annotator.patch(`/views/${id}`, { shared: true }), 403)
    expect((await annotator.list('/views')).map(({ shared }) => shared)).toEqual([false])
  })

  it('are listed exactly once over all pages', async () => {
    const { workspaceId } = await app().newWorkspace()
    const editor = await browserWith(app(), workspaceId, 'editor')
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    const random = randomOfTest()
    for (let number = 0; number < 12; number += 1) {
      const by = random(2) === 0 ? editor : viewer
      await by.create('/views', { name: `View ${number}`, shared: by === editor && random(2) === 0 })
    }
    const all = await viewer.list('/views')
    const limit = 1 + random(4)
    const paged: unknown[] = []
    for (let offset = 0; offset < 12; offset += limit)
      paged.push(...(await viewer.list(`/views?limit=${limit}&offset=${offset}`)))
    expect(paged).toEqual(all)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })

  it('of a member who leaves are deleted, and the shared ones stay', async () => {
    const { workspaceId } = await app().newWorkspace()
    const person = await app().newPerson([{ workspaceId, role: 'editor' }])
    const leaving = app().asPerson(person, workspaceId)
    await leaving.create('/views', { name: 'Private' })
    await leaving.create('/views', { name: 'Shared', shared: true })
    await leaving.delete('/members/me')
    const rows = await app()
      .storage.read.selectFrom('saved_views')
      .select('name')
      .where('workspace_id', '=', workspaceId)
    expect(await rows.execute()).toEqual([{ name: 'Shared' }])
    expect(await (await browserWith(app(), workspaceId, 'viewer')).list('/views')).toMatchObject([{ name: 'Shared' }])
  })

  it('are at most 200 of a member', async () => {
    const { workspaceId } = await app().newWorkspace()
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    for (let number = 0; number < 200; number += 1) await viewer.create('/views', { name: `View ${number}` })
    expectError(await viewer.post('/views', { name: 'One more' }), 409)
  })
})

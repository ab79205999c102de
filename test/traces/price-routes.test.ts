import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'

const PRICE = { modelPattern: 'our-model(-\\d+)?', inputPerMillion: 2.5, outputPerMillion: 10 }

describeEachEngine('/prices', (app) => {
  it('POST 201 returns the price as in the list, with null for missing fields', async () => {
    const { client } = await app().newWorkspace()
    const { status, body } = await client.post('/prices', PRICE)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...PRICE,
      id: NEW_ID,
      provider: null,
      cacheReadPerMillion: null,
      cacheWritePerMillion: null,
      validFrom: null,
      validUntil: null,
      createdAt: TIMESTAMP,
    })
    expect(await client.list('/prices')).toEqual([body])
  })

  it('POST 201 keeps everything that is given, and times in UTC', async () => {
    const { client } = await app().newWorkspace()
    const { body } = await client.post('/prices', {
      ...PRICE,
      provider: 'openai',
      cacheReadPerMillion: 0,
      cacheWritePerMillion: 3.125,
      validFrom: '2026-01-01T02:00:00+02:00',
      validUntil: '2027-01-01T00:00:00Z',
    })
    expect(body).toMatchObject({
      provider: 'openai',
      cacheReadPerMillion: 0,
      cacheWritePerMillion: 3.125,
      validFrom: '2026-01-01T00:00:00.000Z',
      validUntil: '2027-01-01T00:00:00.000Z',
    })
    expect(await client.list('/prices')).toEqual([body])
  })

  it('GET 200 lists the newest first and pages', async () => {
    const { client } = await app().newWorkspace()
    const ids: string[] = []
    for (const modelPattern of ['a', 'b', 'c']) ids.push(await client.create('/prices', { ...PRICE, modelPattern }))
    expect((await client.list('/prices')).map(({ id }) => id)).toEqual(ids.toReversed())
    expect((await client.list('/prices?limit=1&offset=1')).map(({ id }) => id)).toEqual([ids[1]])
    expectError(await client.get('/prices?limit=101'), 400, /limit/)
  })

  it('DELETE 204 removes a price, and 404 for a deleted or missing one', async () => {
    const { client } = await app().newWorkspace()
    const id = await client.create('/prices', PRICE)
    expect((await client.delete(`/prices/${id}`)).status).toBe(204)
    expect(await client.list('/prices')).toEqual([])
    for (const gone of [id, ABSENT_ID]) expectError(await client.delete(`/prices/${gone}`), 404, 'Price not found')
  })

  describe.each([
    ['looks ahead', 'gpt(?=-4)', /looks ahead or behind/],
    ['looks behind', '(?<=gpt)-4', /looks ahead or behind/],
    ['looks away', 'gpt(?!-4)', /looks ahead or behind/],
    ['refers back', '(a)\\1', /refers back to a group/],
    ['is not closed', 'gpt-(4', /missing closing \)/],
    ['repeats nothing', '*', /repetition/],
    ['is too long', 'x'.repeat(1_001), /at most 1000 characters/],
    ['would be huge', '\\pL{1000}', /more than 30 repetitions/],
    ['would be huge in parts', '(.{10}){10}'.repeat(2), /more than 30 repetitions/],
    ['is empty', '', /empty/],
  ])('a pattern that %s', (_name, modelPattern, message) => {
    it('is 400 with a message, and nothing is stored', async () => {
      const { client } = await app().newWorkspace()
      expectError(await client.post('/prices', { ...PRICE, modelPattern }), 400, message)
      expect(await client.list('/prices')).toEqual([])
    })
  })

  it.each([
    [{ inputPerMillion: -1 }, /inputPerMillion must be at least 0/],
    [{ outputPerMillion: 1e9 }, /outputPerMillion must be at most 1000000/],
    [{ cacheReadPerMillion: '1' }, /cacheReadPerMillion must be a number or null/],
    [{ provider: '' }, /provider must not be empty/],
    [{ validFrom: 'yesterday' }, /validFrom must be a time/],
    [{ validUntil: '0000-01-01T00:00:00Z' }, /validUntil must be a time/],
    [{ validFrom: '2026-02-01T00:00:00Z', validUntil: '2026-02-01T00:00:00Z' }, /validUntil must be later/],
    [{ surplus: 1 }, /surplus/],
  ])('POST 400 for %j', async (wrong, message) => {
    const { client } = await app().newWorkspace()
    expectError(await client.post('/prices', { ...PRICE, ...wrong }), 400, message)
  })

  it('POST 409 when there are 500 prices already: all of them are read with every batch of spans', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const id = await client.create('/prices', PRICE)
    await app().storage.transaction(async (tx) => {
      const row = await tx.selectFrom('prices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const copies = Array.from({ length: 499 }, (_, place) => {
        const number = String(place).padStart(12, '0')
        return { ...row, workspace_id: workspaceId, id: `01890a5d-ac96-774b-bcce-${number}` }
      })
      await tx.insertInto('prices').values(copies).execute()
    })
    expectError(await client.post('/prices', PRICE), 409, /at most 500 prices/)
    await client.delete(`/prices/${id}`)
    expect((await client.post('/prices', PRICE)).status).toBe(201)
  })

  it('both changes are in the audit log', async () => {
    const { client, workspaceId, owner } = await app().newWorkspace()
    const id = await client.create('/prices', PRICE)
    await client.delete(`/prices/${id}`)
    const admin = await browserWith(app(), workspaceId, 'admin')
    const log = await admin.list('/audit-log')
    expect(log.map(({ action, resourceId, actorId }) => [action, resourceId, actorId])).toEqual([
      ['price.deleted', id, owner.userId],
      ['price.created', id, owner.userId],
    ])
  })

  it('deleting a workspace deletes its prices', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    await client.create('/prices', PRICE)
    const owner = await browserWith(app(), workspaceId, 'owner')
    expect((await owner.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    await waitForJobs(app().storage, workspaceId)
    expect(await countRows(app().storage, workspaceId)).not.toHaveProperty('prices')
    expect(await countRows(app().storage, workspaceId)).not.toHaveProperty('workspaces')
  })
})

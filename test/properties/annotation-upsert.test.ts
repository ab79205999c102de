// @module-tag sql
/** Many callers annotate one trace at once: one row, and answers that some order of the callers explains. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { createApiKey } from '../../src/auth/api-keys/create-api-key.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'

const CALLERS = 50

type Fields = { rating?: string; comment?: string }
type State = { rating: string | null; comment: string | null }
/** What one caller sent and the state that was returned. */
type Call = { gave: Fields; returned: State }

describeEachEngine('saving an annotation', (app) => {
  let authors: Client[]
  let annotations: string

  beforeAll(async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage, clock } = app()
    const newId = idGenerator(clock)
    authors = [client]
    for (const role of ['editor', 'annotator'] as const) {
      const { userId: createdBy } = await app().newPerson([{ workspaceId, role }])
      const input = { workspaceId, createdBy, name: 'Key', expiresAt: null }
      const { key } = await storage.transaction((tx) => createApiKey(tx, { clock, newId }, input))
      authors.push(app().withKey(key))
    }
    const componentId = await client.create('/components', { name: 'Annotated' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Annotated' })
    const runId = await client.create(`/components/${componentId}/runs`, { datasetId })
    annotations = `/components/${componentId}/runs/${runId}/annotations`
  })

  it('by fifty concurrent callers creates one row per author, with fields that a serial order explains', {
    tags: 'sized',
  }, async () => {
    const call = fc.record({ author: fc.nat(2), hasRating: fc.boolean(), hasComment: fc.boolean() })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: CALLERS, maxLength: CALLERS }), async (callers) => {
        round += 1
        const traceDbId = `trace ${round}`
        const answers = await Promise.all(
          callers.map(async ({ author, hasRating, hasComment }, place) => {
            const gave: Fields = {
              ...(hasRating ? { rating: `rating ${place}` } : {}),
              ...(hasComment ? { comment: `comment ${place}` } : {}),
            }
            const client = authors[author]
            if (!client) throw new Error('there are three authors')
            const { status, body } = await client.post(annotations, { traceDbId, ...gave })
            expect(status).toBe(201)
            return { author, gave, body }
          }),
        )
        const stored = (await authors[0]?.list(`${annotations}?limit=100`))?.filter(
          (row) => row.traceDbId === traceDbId,
        )
        const byAuthor = Map.groupBy(answers, ({ author }) => author)
        expect(stored).toHaveLength(byAuthor.size)
        for (const calls of byAuthor.values()) {
          const [first] = calls
          expect(new Set(calls.map(({ body }) => body.id)).size).toBe(1)
          expect(new Set(calls.map(({ body }) => body.createdAt)).size).toBe(1)
          expect(new Set(calls.map(({ body }) => body.userId)).size).toBe(1)
          const last = stored?.find(({ id }) => id === first?.body.id)
          if (!last) throw new Error('an acknowledged annotation is not in the list')
          const history = calls.map(({ gave, body }) => ({ gave, returned: stateOf(body) }))
          expect(isSerial(history, stateOf(last)), JSON.stringify({ history, last })).toBe(true)
        }
      }),
      { numRuns: runs(4), endOnFailure: true },
    )
  })

  it('after it was deleted creates a new one', async () => {
    const [client] = authors
    if (!client) throw new Error('there are authors')
    const first = await client.create(annotations, { traceDbId: 'again', rating: 'positive', comment: 'good' })
    expect((await client.delete(`${annotations}/${first}`)).status).toBe(204)
    const { body } = await client.post(annotations, { traceDbId: 'again', rating: 'negative' })
    expect(body.id).not.toBe(first)
    expect(stateOf(body)).toEqual({ rating: 'negative', comment: null })
  })
})

it('the check of histories rejects those that no serial order explains', () => {
  const both = (place: number): Call => ({
    gave: { rating: `r${place}`, comment: `c${place}` },
    returned: { rating: `r${place}`, comment: `c${place}` },
  })
  expect(isSerial([both(1), both(2)], { rating: 'r2', comment: 'c2' })).toBe(true)
  expect(isSerial([both(1), both(2)], { rating: 'r1', comment: 'c2' })).toBe(false)
  expect(
    isSerial([both(1), { gave: { rating: 'r2' }, returned: { rating: 'r2', comment: 'c1' } }], {
      rating: 'r2',
      comment: 'c1',
    }),
  ).toBe(true)
  expect(
    isSerial([both(1), { gave: { rating: 'r2' }, returned: { rating: 'r2', comment: 'c1' } }], {
      rating: 'r2',
      comment: null,
    }),
  ).toBe(false)
  expect(
    isSerial([both(1), { gave: {}, returned: { rating: 'r1', comment: null } }], { rating: 'r1', comment: 'c1' }),
  ).toBe(false)
})

function stateOf(row: Record<string, unknown>): State {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  return { rating: textOf(row.rating), comment: textOf(row.comment) }
}

/**
 * Whether the calls can be put in an order in which each returns the state right after it, and the last state is `final`.
 * Every value given is different, so a comment that was replaced never comes back: while one stands, all calls that returned it
 * must happen. Only which of them is the last, and which call replaces the comment, is left to be tried out.
 */
function isSerial(calls: Call[], final: State): boolean {
  return search(calls, { rating: null, comment: null }, final)
}

function search(calls: Call[], state: State, final: State): boolean {
  const silent = calls.filter(({ gave, returned }) => gave.comment === undefined && returned.comment === state.comment)
  const rest = calls.filter((call) => !silent.includes(call))
  const ratings = silent.flatMap(({ gave }) => gave.rating ?? [])
  const shown = new Set<string | null>([state.rating, ...ratings])
  // A call that gave nothing may come whenever its returned state was true; one that gave a rating returned its own.
  if (
    !silent.every(({ gave, returned }) =>
      gave.rating === undefined ? shown.has(returned.rating) : returned.rating === gave.rating,
    )
  )
    return false
  const lasts = ratings.length > 0 ? ratings : [state.rating]
  if (rest.length === 0) return final.comment === state.comment && lasts.some((rating) => rating === final.rating)
  return lasts.some((rating) =>
    rest.some((next) => {
      const { gave, returned } = next
      const after = { rating: gave.rating ?? rating, comment: gave.comment ?? state.comment }
      if (gave.comment === undefined || returned.rating !== after.rating || returned.comment !== after.comment)
        return false
      return search(
        rest.filter((call) => call !== next),
        after,
        final,
      )
    }),
  )
}

import { expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rate, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

describeEachEngine('GET …/annotations', (app) => {
  it('with mine=true has only the caller’s annotations, newest first, and pages of them', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 3)
    const [ann, ben] = await raterPair(app(), workspaceId)
    for (const { id } of traces) for (const rater of [ann, ben]) await rate(rater.client, path, id)
    const all = await client.list(`${path}/annotations`)
    const mine = await ann.client.list(`${path}/annotations?mine=true`)
    expect(mine).toEqual(all.filter(({ userId }) => userId === ann.userId))
    expect(mine.map(({ traceDbId }) => traceDbId)).toEqual(traces.map(({ id }) => id).toReversed())
    expect(await ann.client.list(`${path}/annotations?mine=true&limit=1&offset=1`)).toEqual(mine.slice(1, 2))
    expect((await ann.client.get(`${path}/annotations?mine=false`)).text).toBe(
      (await ann.client.get(`${path}/annotations`)).text,
    )
    expect(await client.list(`${path}/annotations?mine=true`)).toEqual([])
  })

  it('with include=trace also has the trace with its texts and item, and null for one that is not there', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 1, { expected: 'the right answer' })
    await rate(client, path, traces[0]?.id ?? '')
    await rate(client, path, 'not arrived')
    const plain = await client.list(`${path}/annotations`)
    const [waiting, arrived] = await client.list(`${path}/annotations?include=trace`)
    expect(waiting).toEqual({ ...plain[0], trace: null })
    expect(arrived).toEqual({
      ...plain[1],
      trace: expect.objectContaining({
        traceDbId: traces[0]?.id,
        traceId: traces[0]?.traceId,
        itemId: expect.any(String),
        input: 'question 0',
        output: 'answer 0',
        expected: 'the right answer',
      }),
    })
  })

  it('rejects another value of mine or include, and ignores unknown parameters', async () => {
    const { client, path, componentId } = await seedRatedRun(app(), 1)
    expectError(await client.get(`${path}/annotations?mine=yes`), 400, 'The query parameter mine must be true or false')
    expectError(await client.get(`${path}/annotations?include=texts`), 400, 'The query parameter include must be trace')
    expectError(await client.get(`${path}/annotations?mine=true&mine=true`), 400, /mine must not be repeated/)
    expect((await client.get(`${path}/annotations?include=trace&foo=1`)).body).toEqual({ data: [] })
    const missing = `/components/${componentId}/runs/${ABSENT_ID}/annotations?mine=true&include=trace`
    expect((await client.get(missing)).body).toEqual({ data: [] })
  })
})

describeEachEngine('the corrected output of an annotation', (app) => {
  const put = (client: Client, at: string, correctedOutput: unknown) =>
    client.send('PUT', at, { body: { correctedOutput } })

  it('is null, then the value of its author, and is not a part of the annotation', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 1)
    const { body } = await rate(client, path, traces[0]?.id ?? '')
    const at = `${path}/annotations/${body.id}/corrected-output`
    expect((await client.get(at)).body).toEqual({ correctedOutput: null })
    const set = await put(client, at, 'What it should have said ✓')
    expect([set.status, set.body]).toEqual([200, { correctedOutput: 'What it should have said ✓' }])
    expect((await client.get(at)).body).toEqual(set.body)
    expect(await client.list(`${path}/annotations`)).toEqual([body])
    await rate(client, path, traces[0]?.id ?? '', 'negative')
    expect((await client.get(at)).body).toEqual(set.body)
    expect((await put(client, at, null)).body).toEqual({ correctedOutput: null })
    expect((await client.get(at)).body).toEqual({ correctedOutput: null })
  })

  it('is set only by the author, and visible to readers of the annotation', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const traceDbId = traces[0]?.id ?? ''
    const { body } = await rate(ann.client, path, traceDbId)
    const at = `${path}/annotations/${body.id}/corrected-output`
    await put(ann.client, at, 'Better')
    expectError(await put(client, at, 'Best'), 403, 'Only the author of an annotation may correct the output in it')
    expect((await ben.client.get(at)).body).toEqual({ correctedOutput: 'Better' })
    expectError(await put(await browserWith(app(), workspaceId, 'viewer'), at, 'No'), 403)
    await setPolicy(client, path, { blind: true })
    expectError(await ben.client.get(at), 404, 'Annotation not found')
    expectError(await put(ben.client, at, 'Best'), 404, 'Annotation not found')
    await rate(ben.client, path, traceDbId)
    expect((await ben.client.get(at)).body).toEqual({ correctedOutput: 'Better' })
  })

  it('is rejected if it is missing, too long or of another type, and 404 without the annotation', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 1)
    const { body } = await rate(client, path, traces[0]?.id ?? '')
    const at = `${path}/annotations/${body.id}/corrected-output`
    for (const wrong of [undefined, 1, 'x'.repeat(100_001)])
      expectError(await put(client, at, wrong), 400, /correctedOutput/)
    const missing = `${path}/annotations/${ABSENT_ID}/corrected-output`
    expectError(await client.get(missing), 404, 'Annotation not found')
    expectError(await put(client, missing, 'x'), 404, 'Annotation not found')
    await client.delete(`${path}/annotations/${body.id}`)
    expectError(await client.get(at), 404, 'Annotation not found')
  })
})

import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  ended,
  expectExactProgress,
  metricOf,
  type Row,
  rowsIn,
  type SeededItems,
  scoresOf,
  seedComponent,
  seedItems,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const TONE = { type: 'external', name: 'tone' }
const STYLE = { type: 'external', name: 'style', passAt: 0.5 }

describeEachEngine('POST …/evaluations/:evaluationId/scores', (app) => {
  async function startExternal(count: number, evaluators: Row[] = [TONE, { type: 'exactMatch' }]) {
    const seeded = await seedOutputs(app(), count)
    const path = await start(seeded, { datasetId: seeded.datasetId, config: { evaluators } })
    const deliver = (scores: unknown) => seeded.client.post(`${path}/scores`, { scores })
    return { ...seeded, path, deliver }
  }

  function toneOf({ itemIds }: Pick<SeededItems, 'itemIds'>, result: (place: number) => Row): Row[] {
    return itemIds.map((itemId, place) => ({ evaluator: 'tone', itemId, ...result(place) }))
  }

  it('scores that are delivered right after the start are stored, and the evaluation ends with their metric', async () => {
    const seeded = await startExternal(5)
    const { status, body } = await seeded.deliver(toneOf(seeded, (place) => ({ score: place / 4, reason: 'warm' })))
    expect({ status, body }).toEqual({ status: 200, body: { stored: 5, unchanged: 0, unknown: [] } })
    const evaluation = await ended(seeded.client, seeded.path)
    expect(evaluation).toMatchObject({ status: 'completed', error: null, progress: { total: 10, done: 10 } })
    expect(metricOf(evaluation, 'tone')).toMatchObject({ n: 5, mean: 0.5, kind: 'numeric', missing: 0, passed: null })
    const scores = await expectExactProgress(seeded.client, seeded.path)
    const [first] = scores.filter(({ evaluator }) => evaluator === 'tone')
    expect(first).toMatchObject({
      state: 'scored',
      score: 0,
      reason: 'warm',
      repetition: 1,
      attempts: 1,
      costUsd: null,
    })
  })

  it('scores name their item also by its id in upper case', async () => {
    const seeded = await startExternal(1)
    const itemIds = seeded.itemIds.map((id) => id.toUpperCase())
    const { status, body } = await seeded.deliver(toneOf({ itemIds }, () => ({ score: 1 })))
    expect({ status, body }).toEqual({ status: 200, body: { stored: 1, unchanged: 0, unknown: [] } })
    expect(await ended(seeded.client, seeded.path)).toMatchObject({ status: 'completed' })
  })

  it('the evaluation scores everything else, waits without being final, and ends with the last delivered score', async () => {
    const seeded = await startExternal(3)
    const { client, path } = seeded
    await until(async () => {
      expect((await client.get(path)).body).toMatchObject({ status: 'running', progress: { total: 6, done: 3 } })
    })
    const [first, ...others] = toneOf(seeded, () => ({ passed: true }))
    expect((await seeded.deliver([first])).body).toMatchObject({ stored: 1 })
    expect((await client.get(path)).body).toMatchObject({ status: 'running', progress: { done: 4 }, results: null })
    expect((await seeded.deliver(others)).body).toMatchObject({ stored: 2 })
    expect(metricOf(await ended(client, path), 'tone')).toMatchObject({ n: 3, kind: 'binary', passed: { mean: 1 } })
  })

  it('a repeated score changes nothing, and a final score keeps its value', async () => {
    const seeded = await startExternal(2)
    const [first = {}] = toneOf(seeded, () => ({ score: 0.5, label: 'dry', details: { a: 1, b: [2] } }))
    expect((await seeded.deliver([first, first])).body).toEqual({ stored: 1, unchanged: 1, unknown: [] })
    const reordered = { ...first, details: { b: [2], a: 1 } }
    expect((await seeded.deliver([reordered])).body).toEqual({ stored: 0, unchanged: 1, unknown: [] })
    const different = [{ score: 0.6 }, { label: 'wet' }, { details: { a: 2 } }, { reason: 'because' }, { passed: true }]
    const { body } = await seeded.deliver(different.map((change) => ({ ...first, ...change })))
    const reason = 'the score is final and has a different value'
    expect(body).toEqual({ stored: 0, unchanged: 0, unknown: different.map((_, index) => ({ index, reason })) })
    const [stored] = await scoresOf(seeded.client, seeded.path, '&state=scored&evaluator=tone')
    expect(stored).toMatchObject({ score: 0.5, label: 'dry', passed: null, reason: null, details: { a: 1, b: [2] } })
  })

  it('scores without an evaluator or a case are listed with their reasons, and the others are stored', async () => {
    const seeded = await startExternal(1)
    const [itemId] = seeded.itemIds
    const { status, body } = await seeded.deliver([
      { evaluator: 'ton', itemId, score: 1 },
      { evaluator: 'exactMatch', itemId, score: 1 },
      { evaluator: 'tone', itemId: ABSENT_ID, score: 1 },
      { evaluator: 'tone', traceDbId: 'trace', score: 1 },
      { evaluator: 'tone', itemId: itemId?.toUpperCase(), score: 1 },
    ])
    expect(status).toBe(200)
    expect(body).toEqual({
      stored: 1,
      unchanged: 0,
      unknown: [
        { index: 0, reason: 'the evaluation has no evaluator named "ton"' },
        { index: 1, reason: 'the server computes the scores of exactMatch' },
        { index: 2, reason: 'the evaluation has no such case' },
        { index: 3, reason: 'the evaluation has no run: name the case by itemId' },
      ],
    })
    expect(await ended(seeded.client, seeded.path)).toMatchObject({
      status: 'completed',
      progress: { total: 2, done: 2 },
    })
  })

  it('passed, passAt and labels have the same meaning as for other evaluators, and an error is a failed score', async () => {
    const toxic = { type: 'external', name: 'toxic', passAt: 0.2, higherIsBetter: false }
    const seeded = await startExternal(4, [STYLE, toxic, { type: 'external', name: 'class' }])
    const delivered: [string, Row[]][] = [
      ['style', [{ score: 0.5 }, { score: 0.4, passed: true }, { passed: false }, { error: 'no\nanswer' }]],
      ['toxic', [{ score: 0.2 }, { score: 0.3 }, { passed: true }, { passed: false }]],
      ['class', [{ label: 'a' }, { label: 'b' }, { label: 'a' }, { label: 'a', passed: true }]],
    ]
    const scores = delivered.flatMap(([evaluator, results]) =>
      results.map((result, place) => ({ evaluator, itemId: seeded.itemIds[place], ...result })),
    )
    expect((await seeded.deliver(scores)).body).toMatchObject({ stored: 12 })
    const evaluation = await ended(seeded.client, seeded.path)
    const all = await expectExactProgress(seeded.client, seeded.path)
    const shown = (name: string) =>
      seeded.itemIds.map((id) => {
        const found = all.find(({ itemId, evaluator }) => itemId === id && evaluator === name)
        return [found?.state, found?.score, found?.passed]
      })
    expect(shown('style')).toEqual([
      ['scored', 0.5, true],
      ['scored', 0.4, true],
      ['scored', 0, false],
      ['failed', null, null],
    ])
    expect(all.find(({ state }) => state === 'failed')?.error).toBe('no ⏎ answer')
    expect(shown('toxic').map(([, score, passed]) => [score, passed])).toEqual([
      [0.2, true],
      [0.3, false],
      [0, true],
      [1, false],
    ])
    expect(metricOf(evaluation, 'style')).toMatchObject({ n: 3, failed: 1, passed: { n: 3 } })
    expect(metricOf(evaluation, 'toxic')).toMatchObject({ higherIsBetter: false, scale: [0, 1] })
    expect(shown('class').map(([, score]) => score)).toEqual([null, null, null, 1])
    expect(rowsIn(metricOf(evaluation, 'class').labels)).toMatchObject([
      { label: 'a', n: 3 },
      { label: 'b', n: 1 },
    ])
  })

  it('clients that deliver the same scores at the same time store each of them once', async () => {
    const seeded = await startExternal(40)
    const scores = toneOf(seeded, () => ({ score: 1 }))
    // As many as an application may have waiting: one more gets 429 on a busy machine.
    const parts = Array.from({ length: 8 }, (_, place) => scores.slice(place * 3, place * 3 + 19))
    const answers = await Promise.all(parts.map((part) => seeded.deliver(part)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const sum = (name: string) => answers.reduce((total, { body }) => total + Number(body[name]), 0)
    expect([sum('stored'), sum('stored') + sum('unchanged')]).toEqual([40, 8 * 19])
    expect(await ended(seeded.client, seeded.path)).toMatchObject({
      status: 'completed',
      progress: { total: 80, done: 80 },
    })
    await expectExactProgress(seeded.client, seeded.path)
  })

  it('a request that is repeated with its Idempotency-Key gets its first response, even when the evaluation is final', async () => {
    const seeded = await startExternal(1)
    const scores = toneOf(seeded, () => ({ score: 1 }))
    const send = () => seeded.client.post(`${seeded.path}/scores`, { scores }, { 'idempotency-key': 'delivery-1' })
    const first = await send()
    await ended(seeded.client, seeded.path)
    const second = await send()
    expect([second.status, second.body]).toEqual([first.status, { stored: 1, unchanged: 0, unknown: [] }])
  })

  describe('in an evaluation of a run', () => {
    /** Two traces name the first item, one the second; one has the input of the third. */
    async function startRun(evaluators: Row[] = [TONE]) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId, itemIds } = await seedItems(seeded, [{ input: 'q0' }, { input: 'q1' }, { input: 'q2' }])
      const runId = await client.create(`${below}/runs`, { datasetId, name: 'now' })
      const itemOf = [itemIds[0], itemIds[0], itemIds[1], undefined, undefined]
      const inputs = ['q0', 'q0', 'q1', 'q2', 'another']
      const traces = inputs.map((input, place) => {
        const itemId = itemOf[place]
        return { traceId: `trace-${place}`, run: 'now', input, output: 'x', ...(itemId && { itemId }) }
      })
      const { status, text } = await client.post(`${below}/traces`, { traces })
      if (status !== 201) throw new Error(text)
      const path = await start(seeded, { datasetId, runId, config: { evaluators } })
      const deliver = (scores: Row[]) => client.post(`${path}/scores`, { scores })
      return { ...seeded, datasetId, itemIds, runId, path, deliver }
    }

    it('a case is found by either id of its trace, or by an item that only one trace has', async () => {
      const seeded = await startRun()
      const { client, itemIds, path } = seeded
      const [known] = await client.list('/traces?limit=1&q=input:another')
      const { body } = await seeded.deliver([
        { evaluator: 'tone', traceDbId: 'trace-0', score: 0 },
        { evaluator: 'tone', itemId: itemIds[0], score: 0 },
        { evaluator: 'tone', itemId: itemIds[1], score: 0.1 },
        { evaluator: 'tone', itemId: itemIds[2], score: 0.2 },
        { evaluator: 'tone', traceDbId: String(known?.id), score: 0.3 },
        { evaluator: 'tone', traceDbId: 'trace-1', score: 0.4 },
        { evaluator: 'tone', itemId: ABSENT_ID, score: 1 },
      ])
      expect(body).toEqual({
        stored: 5,
        unchanged: 0,
        unknown: [
          { index: 1, reason: '2 cases have this item: name the case by traceDbId' },
          { index: 6, reason: 'no case has this item; a case can also be named by traceDbId' },
        ],
      })
      expect(await ended(client, path)).toMatchObject({ status: 'completed', progress: { total: 5, done: 5 } })
      const scores = await expectExactProgress(client, path)
      expect(scores.map(({ score, itemId }) => [score, itemId]).sort()).toEqual([
        [0, itemIds[0]],
        [0.1, itemIds[1]],
        [0.2, itemIds[2]],
        // Traces of a run without an item become items of their own.
        [0.3, expect.any(String)],
        [0.4, itemIds[0]],
      ])
    })

    it('the metric is compared with the baseline run and decides the gate', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const items = Array.from({ length: 30 }, (_, place) => ({ input: `q${place}` }))
      const { datasetId, itemIds } = await seedItems(seeded, items)
      const evaluate = async (name: string, score: (place: number) => number, more: Row = {}) => {
        const runId = await client.create(`${below}/runs`, { datasetId, name })
        const traces = itemIds.map((itemId, place) => ({ traceId: `${name}-${place}`, run: name, itemId, output: 'x' }))
        await client.post(`${below}/traces`, { traces })
        const path = await start(seeded, { datasetId, runId, config: { evaluators: [TONE], ...more } })
        const scores = itemIds.map((itemId, place) => ({ evaluator: 'tone', itemId, score: score(place) }))
        expect((await client.post(`${path}/scores`, { scores })).body).toMatchObject({ stored: 30 })
        return { runId, results: (await ended(client, path)).results }
      }
      const before = await evaluate('before', (place) => (place % 10) / 20)
      const gate = { metric: 'tone' }
      const after = await evaluate('after', (place) => 0.5 + (place % 10) / 20, { baselineRunId: before.runId, gate })
      const { comparison, gate: decided } = Object(after.results)
      expect(rowsIn(comparison.metrics).find(({ name }) => name === 'tone')).toMatchObject({ verdict: 'improved' })
      expect(decided).toMatchObject({ passed: true })
    })
  })

  it('a preview skips external evaluators with the reason, and a dry run reports the scores that must be delivered', async () => {
    const seeded = await seedOutputs(app(), 2)
    const { client, at, datasetId } = seeded
    const config = { evaluators: [TONE, STYLE] }
    const preview = await client.post(`${at}/preview`, { datasetId, config })
    const [first] = rowsIn(preview.body.cases)
    expect(rowsIn(first?.scores)[0]).toMatchObject({
      state: 'skipped',
      error: 'its scores are delivered by your own code after the start of an evaluation',
    })
    const estimate = (await client.post(`${at}?dry_run=true`, { datasetId, config })).body
    expect(estimate).toMatchObject({ scores: 4, calls: 0, expectedCostUsd: 0 })
    expect(estimate.summary).toContain('4 external scores of tone, style must be delivered')
    const listed = (await client.list('/evaluators?limit=100')).find(({ type }) => type === 'external')
    expect(Object.keys(Object(listed?.options).properties)).toEqual(['timeoutMinutes', 'passAt', 'higherIsBetter'])
  })

  it.each([
    [0, 'must be above 0'],
    [10_081, 'must be at most 10080'],
    ['1', 'must be a number'],
  ])('timeoutMinutes: %j is rejected', async (timeoutMinutes, message) => {
    const seeded = await seedOutputs(app(), 1)
    const config = { evaluators: [{ ...TONE, timeoutMinutes }] }
    const answer = await seeded.client.post(`${seeded.at}?dry_run=true`, { datasetId: seeded.datasetId, config })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe(`config.evaluators[0].timeoutMinutes ${message}`)
  })

  describe('is rejected with', () => {
    const CASE = { evaluator: 'tone', itemId: ABSENT_ID }
    const MANY = Array.from({ length: 501 }, () => ({ ...CASE, score: 1 }))

    it.each<[string, unknown, string]>([
      ['no scores', [], 'scores must'],
      ['501 scores', MANY, 'scores must'],
      ['neither item nor trace', [{ evaluator: 'tone', score: 1 }], 'scores[0] must have either itemId or traceDbId'],
      ['item and trace', [{ ...CASE, traceDbId: 't', score: 1 }], 'scores[0] must have either itemId or traceDbId'],
      ['no result', [CASE], 'scores[0] must have a score, a label, passed or an error'],
      ['only a reason', [{ ...CASE, reason: 'why' }], 'scores[0] must have a score, a label, passed or an error'],
      ['error and score', [{ ...CASE, score: 1, error: 'x' }], 'scores[0] must have either an error or a result'],
      ['error and reason', [{ ...CASE, error: 'x', reason: 'y' }], 'scores[0] must have either an error or a result'],
      ['a score above 1', [{ ...CASE, score: 1.1 }], 'scores[0].score must be at most 1'],
      ['a score below 0', [{ ...CASE, score: -0.1 }], 'scores[0].score must be at least 0'],
      ['a score of text', [{ ...CASE, score: '1' }], 'scores[0].score must be a number'],
      ['an item that is no id', [{ evaluator: 'tone', itemId: 'x', score: 1 }], 'scores[0].itemId'],
      ['an unknown field', [{ ...CASE, score: 1, value: 1 }], 'scores[0].value'],
      ['large details', [{ ...CASE, score: 1, details: { text: 'x'.repeat(17_000) } }], 'scores[0].details is larger'],
    ])('400 for %s', async (_, scores, message) => {
      const seeded = await startExternal(1)
      const answer = await seeded.deliver(scores)
      expectError(answer, 400)
      expect(answer.body.error).toContain(`The field ${message}`)
      expect((await seeded.client.get(seeded.path)).body.progress).toMatchObject({ failed: 0 })
    })

    it('the same 404 for an evaluation of another workspace and for a missing one', async () => {
      const seeded = await startExternal(1)
      const { client: stranger } = await app().newWorkspace()
      const scores = toneOf(seeded, () => ({ score: 1 }))
      const other = await stranger.post(`${seeded.path}/scores`, { scores })
      const missing = await seeded.client.post(`${seeded.at}/${ABSENT_ID}/scores`, { scores })
      expectError(other, 404)
      expect(other.text).toBe(missing.text)
    })

    it('409 for an evaluation that is final or cannot run', async () => {
      const seeded = await startExternal(1)
      const scores = toneOf(seeded, () => ({ score: 1 }))
      await seeded.client.post(`${seeded.path}/cancel`, undefined)
      const answer = await seeded.deliver(scores)
      expectError(answer, 409)
      expect(answer.body.error).toBe('The evaluation is already finished (failed) and accepts no scores')
      const invalid = await startExternal(1, [{ type: 'external', timeoutMinutes: -1 }])
      expectError(await invalid.deliver(scores), 409)
    })
  })
})

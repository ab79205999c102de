import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, type Row, rowsIn, seedComponent, seedItems } from './evaluating.ts'

const ITEMS = 60
const RIGHT = { type: 'exactMatch', name: 'right' }

describeEachEngine('items that change between two evaluations', (app) => {
  /** Two runs of sixty items with the same answers, of which every third is wrong, and an evaluation of the first run. */
  async function seedEvaluated({ inputOf = (place: number) => `question ${place}` } = {}) {
    const seeded = await seedComponent(app())
    const { client, below } = seeded
    const items = Array.from({ length: ITEMS }, (_, place) => ({ input: inputOf(place), expected: 'yes' }))
    const { datasetId, itemIds } = await seedItems(seeded, items)
    const answer = async (run: string, answered: readonly string[]) => {
      const traces = answered.map((itemId, place) => ({
        traceId: `${run}-${itemId}`,
        run,
        itemId,
        output: place % 3 === 0 ? 'no' : 'yes',
      }))
      expect((await client.post(`${below}/traces`, { traces })).status).toBe(201)
    }
    const run = async (name: string) => {
      const runId = await client.create(`${below}/runs`, { datasetId, name })
      await answer(name, itemIds)
      return runId
    }
    const [baselineRunId, runId] = [await run('v1'), await run('v2')]
    const evaluateBaseline = () =>
      evaluated(seeded, { datasetId, runId: baselineRunId, config: { evaluators: [RIGHT] } })
    await evaluateBaseline()
    const dataset = `${below}/datasets/${datasetId}`
    const item = (place: number) => `${dataset}/items/${itemIds[place]}`
    /** Items that did not exist before, with the same wrong answers in the run. */
    const addItems = async (run: string, count: number, inputOf = (place: number) => `added ${place}`) => {
      const added = await Promise.all(
        Array.from({ length: count }, (_, place) =>
          client.create(`${dataset}/items`, { input: inputOf(place), expected: 'yes' }),
        ),
      )
      await answer(run, added)
      return added.sort()
    }
    const gated = async (evaluator: Row = RIGHT, gate: Row = {}) => {
      const config = { evaluators: [evaluator], baselineRunId, gate: { metric: 'right', margin: 0.1, ...gate } }
      return Object((await evaluated(seeded, { datasetId, runId, config })).results)
    }
    return { ...seeded, item, itemIds, gated, dataset, evaluateBaseline, addItems, baselineRunId, runId }
  }

  it('are compared if nothing changed', async () => {
    const { gated } = await seedEvaluated()
    const { gate, comparison } = await gated()
    expect(gate).toMatchObject({ passed: true })
    expect(comparison.itemChanges).toEqual({
      changed: { count: 0, items: [] },
      removed: { count: 0, items: [] },
      added: { count: 0, items: [] },
      unverified: 0,
      duplicates: 0,
      summary: null,
    })
  })

  it('are excluded and named if their expected answers were edited, and the gate cannot be decided', async () => {
    const { client, item, itemIds, gated } = await seedEvaluated()
    const edited = Array.from({ length: 20 }, (_, place) => 3 * place)
    for (const place of edited)
      expect((await client.send('PATCH', item(place), { body: { expected: 'no' } })).status).toBe(200)
    const { gate, comparison } = await gated()
    expect(gate).toEqual({
      passed: false,
      summary:
        'Cannot decide: 20 items were edited between the two evaluations, and 40 items of right are left. Evaluate the baseline again, so that both runs are judged by the same items.',
    })
    expect(comparison.itemChanges.changed).toEqual({
      count: 20,
      items: edited.map((place) => itemIds[place]).sort(),
    })
    const right = rowsIn(comparison.metrics).find(({ name }) => name === 'right')
    expect(right).toMatchObject({ items: 40, difference: 0, verdict: 'equivalent' })
    expect(comparison.summary).toContain('20 items were edited between the two evaluations and not compared.')
  })

  it('are named if they were deleted, and the gate cannot be decided', async () => {
    const { client, item, gated } = await seedEvaluated()
    for (const place of [0, 3, 6, 9, 12, 15, 18, 21]) expect((await client.delete(item(place))).status).toBe(204)
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges.removed.count).toBe(8)
    expect(gate.summary).toMatch(
      /^Cannot decide: 8 items were deleted between the two evaluations, and \d+ items of right are left\./,
    )
  })

  it('are named if they were added, are no missing answers of the baseline, and the gate names their number', async () => {
    const { gated, addItems, client, below, baselineRunId, runId } = await seedEvaluated()
    const added = await addItems('v2', 20)
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges).toMatchObject({
      added: { count: 20, items: added },
      summary: '20 items were added between the two evaluations',
    })
    const right = rowsIn(comparison.metrics).find(({ name }) => name === 'right')
    expect(right).toMatchObject({
      items: 60,
      difference: 0,
      verdict: 'equivalent',
      missingItems: { items: 60, incomplete: 0, baseline: 0 },
    })
    expect(comparison.summary).toContain('20 items were added between the two evaluations and not compared.')
    expect(gate).toEqual({
      passed: false,
      summary:
        'Cannot decide: 20 items were added between the two evaluations. Run the baseline on them and evaluate it again, or set maxMissing to the share of items that may be added.',
    })
    // Swapping the runs names the same items.
    const swapped = await client.get(`${below}/comparisons?baseline=${runId}&candidate=${baselineRunId}`)
    expect(swapped.body).toMatchObject({ itemChanges: { added: { count: 20 }, removed: { count: 0 } } })
  })

  it('let a gate decide on the others only if it says how many may be added', async () => {
    const { gated, addItems } = await seedEvaluated()
    await addItems('v2', 1)
    const { gate } = await gated()
    expect(gate.passed).toBe(false)
    expect(gate.summary).toMatch(/^Cannot decide: 1 item was added between the two evaluations\. Run the baseline/)
    const allowing = (await gated(RIGHT, { maxMissing: 0.02 })).gate
    expect(allowing.passed).toBe(true)
    expect(allowing.summary).toContain('1 item was added between the two evaluations and not compared.')
    expect(allowing.summary).not.toContain('no answer')
    expect((await gated(RIGHT, { maxMissing: 0.01 })).gate.summary).toMatch(
      /^Cannot decide: 1 item was added between the two evaluations, and at most 1 % may lack right\. Run the baseline/,
    )
  })

  it('are missing answers of the baseline once it is evaluated after they were added', async () => {
    const { gated, addItems, evaluateBaseline } = await seedEvaluated()
    await addItems('v2', 20)
    await evaluateBaseline()
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges.added.count).toBe(0)
    expect(gate.summary).toContain('20 of 80 items have no answer in v1')
  })

  it('count with the item that they repeat if they were added', async () => {
    const { gated, addItems } = await seedEvaluated()
    await addItems('v2', 5, (place) => `question ${3 * place}`)
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges).toMatchObject({ added: { count: 0 }, duplicates: 5 })
    expect(gate.summary).not.toContain('added')
  })

  it('are not compared by an evaluator that changed', async () => {
    const { gated } = await seedEvaluated()
    const { gate, comparison } = await gated({ ...RIGHT, ignoreCase: true })
    const reason = 'the two evaluations configure ignoreCase differently: evaluate the baseline like the candidate'
    expect(comparison.notCompared).toMatchObject([{ name: 'right', reason }])
    expect(gate).toEqual({ passed: false, summary: `Cannot decide: right is not compared (${reason}).` })
  })

  it.each([
    ['question', { input: 'another question' }],
    ['split', { split: 'validation' }],
  ])('are excluded if their %s was edited', async (_, edit) => {
    const { client, item, itemIds, gated } = await seedEvaluated()
    expect((await client.patch(item(7), edit)).status).toBe(200)
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges.changed).toEqual({ count: 1, items: [itemIds[7]] })
    expect(gate.summary).toMatch(/^Cannot decide: 1 item was edited between the two evaluations/)
  })

  it('are excluded if their group was edited, but not if the dataset is grouped by another field', async () => {
    const { client, item, itemIds, gated, dataset, evaluateBaseline } = await seedEvaluated()
    const describe = (place: number, document: number) =>
      client.patch(item(place), { metadata: { document, page: place } })
    for (const place of itemIds.keys()) await describe(place, place % 30)
    await client.patch(`${dataset}/settings`, { groupBy: 'metadata.document' })
    // The baseline was evaluated without groups.
    expect((await gated()).comparison.itemChanges.changed.count).toBe(0)
    await evaluateBaseline()
    for (const place of [4, 5]) await describe(place, 0)
    const { gate, comparison } = await gated()
    expect(comparison.itemChanges.changed).toEqual({ count: 2, items: [itemIds[4], itemIds[5]].sort() })
    expect(gate.summary).toMatch(
      /^Cannot decide: 2 items were edited between the two evaluations, and \d+ items.* of right are left\./,
    )
    await client.patch(`${dataset}/settings`, { groupBy: 'metadata.page' })
    expect((await gated()).comparison.itemChanges.changed.count).toBe(0)
  })

  it('are compared as before if an evaluation of an older version did not store them, and the result says so', async () => {
    const { gated, workspaceId } = await seedEvaluated()
    await app().storage.transaction((tx) =>
      tx.updateTable('evaluation_scores').set({ item_hash: null }).where('workspace_id', '=', workspaceId).execute(),
    )
    const { gate, comparison } = await gated()
    const note =
      'Whether 60 items changed between the two evaluations is not known: one of them is of an older version.'
    expect(comparison.itemChanges).toMatchObject({ unverified: 60, summary: null })
    expect(comparison.summary).toContain(note)
    expect(gate.passed).toBe(true)
    expect(gate.summary).toContain(note)
  })

  it('count once if they have the same question and expected answer', async () => {
    const { gated } = await seedEvaluated({ inputOf: (place) => `question ${place % 6}` })
    const { comparison, gate, metrics, duplicates } = await gated()
    // The evaluation and the comparison agree: six items, of which two are never answered rightly.
    expect(duplicates).toBe(54)
    const { mean, ci } = Object(rowsIn(comparison.metrics).find(({ name }) => name === 'right')?.candidate)
    expect(rowsIn(metrics)[0]).toMatchObject({ n: 60, mean, ci })
    expect(Object(ci)[1] - Object(ci)[0]).toBeGreaterThan(0.5)
    expect(comparison.itemChanges.duplicates).toBe(54)
    const right = rowsIn(comparison.metrics).find(({ name }) => name === 'right')
    expect(right).toMatchObject({ items: 6, values: { baseline: 60, candidate: 60 }, verdict: 'tooFewCases' })
    expect(comparison.summary).toContain('54 items repeat another one and count with it.')
    expect(gate.passed).toBe(false)
  })
})

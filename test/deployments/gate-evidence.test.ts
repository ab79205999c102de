import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { check, evaluate, moveTo, runAndEvaluate, runVersion, seedGated } from './seed-deployment.ts'

const NEEDS = (version: number) =>
  `Label production needs a verdict: no comparison of version ${version} with version 1 shows that right is not worse by more than 0.1.`

describeEachEngine('evidence that does not fit', (app) => {
  const given = (baselineRunId: string, candidateRunId: string) => ({
    evidence: { comparison: { baselineRunId, candidateRunId } },
  })
  const remedy =
    'Give a comparison of version 2 with version 1 on dataset Questions, or leave out evidence: then the newest evaluated runs of both are compared.'

  it('of other versions, of the other direction or of another dataset is rejected with what it is of', async () => {
    const seeded = await seedGated(app())
    const { runId: two } = await runAndEvaluate(seeded, 2)
    const { runId: three } = await runAndEvaluate(seeded, 3)
    const one = seeded.baseline.runId
    const cases: [string, string, string][] = [
      [one, three, 'No trace of run v3 names version 2.'],
      [two, one, 'No trace of run v1 names version 2.'],
      [three, two, 'No trace of run v3 names version 1.'],
    ]
    for (const [baseline, candidate, problem] of cases)
      expectError(await moveTo(seeded, 2, given(baseline, candidate)), 409, `${NEEDS(2)} ${problem} ${remedy}`)
    const datasetId = await seeded.client.create(`${seeded.component}/datasets`, { name: 'Easy' })
    const { body } = await seeded.client.post(`${seeded.component}/datasets/${datasetId}/items`, [
      ...seeded.itemIds.map((_, place) => ({ input: `easy ${place}`, expected: 'yes' })),
    ])
    const itemIds = [body.data].flat().map((item) => String(Object(item).id))
    const { runId: easy } = await runAndEvaluate(seeded, 2, { datasetId, itemIds, name: 'easy' })
    expectError(await moveTo(seeded, 2, given(one, easy)), 409, `${NEEDS(2)} Run easy is of another dataset. ${remedy}`)
    const missing = '00000000-0000-7000-8000-000000000000'
    expectError(
      await moveTo(seeded, 2, given(one, missing)),
      400,
      'evidence.comparison.candidateRunId must be the id of a run of this component',
    )
    expectError(
      await moveTo(seeded, 2, { evidence: { decisionId: missing } }),
      400,
      'evidence.decisionId must be the id of a decision of this component',
    )
    for (const evidence of [{}, { decisionId: 'x' }, { comparison: { baselineRunId: one } }])
      expectError(await moveTo(seeded, 2, { evidence }), 400, /evidence/)
    expect((await moveTo(seeded, 2, given(one, two))).status).toBe(200)
  })

  it('is no run that mixes versions, or that has a trace without one', async () => {
    const seeded = await seedGated(app())
    const mixed = await runAndEvaluate(seeded, 2, {
      name: 'mixed',
      named: (place) => (place === 59 ? 'answer@1' : 'answer@2'),
    })
    expectError(
      await moveTo(seeded, 2),
      409,
      /On dataset Questions, 59 of 60 traces of run mixed name version 2\. Run version 2/,
    )
    expectError(
      await moveTo(seeded, 2, given(seeded.baseline.runId, mixed.runId)),
      409,
      `${NEEDS(2)} 59 of 60 traces of run mixed name version 2. ${remedy}`,
    )
    await runAndEvaluate(seeded, 2, { name: 'partly', named: (place) => (place === 59 ? null : 'answer@2') })
    expectError(await moveTo(seeded, 2), 409, /59 of 60 traces of run partly name version 2/)
    await runAndEvaluate(seeded, 2, { name: 'other', named: () => 'other@2' })
    expectError(await moveTo(seeded, 2), 409, /59 of 60 traces of run partly name version 2/)
    // A newer run that mixes versions does not hide an older one that does not.
    await runAndEvaluate(seeded, 2)
    await runAndEvaluate(seeded, 2, { name: 'mixed again', named: (place) => (place > 3 ? 'answer@3' : 'answer@2') })
    expect((await moveTo(seeded, 2)).status).toBe(200)
  })

  it('is no run in which some calls used a fallback, or a version of another name', async () => {
    const seeded = await seedGated(app())
    for (const [other, problem] of [
      ['answer', '2 traces of run v2 name answer without a version, too'],
      ['answer@draft', '2 traces of run v2 name answer@draft, too'],
      ['answer@3', '2 traces of run v2 name answer@3, too'],
    ] as const) {
      await runAndEvaluate(seeded, 2, { alsoNamed: (place) => (place < 2 ? other : null) })
      expectError(await moveTo(seeded, 2), 409, new RegExp(`On dataset Questions, ${problem}\\.`))
    }
    await runAndEvaluate(seeded, 2, { alsoNamed: (place) => (place < 2 ? 'question' : null) })
    expect((await moveTo(seeded, 2)).status).toBe(200)
  })

  it('is no decision to hold, no superseded one, and none of runs that were deleted', async () => {
    const seeded = await seedGated(app())
    const { runId } = await runAndEvaluate(seeded, 2)
    const runs = { baselineRunId: seeded.baseline.runId, candidateRunId: runId }
    const decide = (decision: string) => seeded.client.create(seeded.decisions, { ...runs, decision })
    const hold = await decide('hold')
    expectError(
      await moveTo(seeded, 2, { evidence: { decisionId: hold } }),
      409,
      `${NEEDS(2)} The decision is to hold the version. Record a decision to release it, or give the comparison instead.`,
    )
    const release = await decide('release')
    expectError(
      await moveTo(seeded, 2, { evidence: { decisionId: hold } }),
      409,
      `${NEEDS(2)} The decision was superseded by a later one on the same runs. Give that one, ${release}, if it releases the version.`,
    )
    expect((await seeded.client.delete(`${seeded.component}/runs/${runId}`)).status).toBe(204)
    expectError(
      await moveTo(seeded, 2, { evidence: { decisionId: release } }),
      409,
      `${NEEDS(2)} The runs of the decision were deleted, so which versions they were of cannot be shown. Run and evaluate both versions again, then move the label again.`,
    )
  })

  it('is no verdict on items that were edited or deleted since', async () => {
    const seeded = await seedGated(app())
    await runAndEvaluate(seeded, 2)
    for (const place of [3, 4]) {
      const item = `${seeded.dataset}/items/${seeded.itemIds[place]}`
      expect((await seeded.client.send('PATCH', item, { body: { expected: 'no' } })).status).toBe(200)
    }
    expect((await seeded.client.delete(`${seeded.dataset}/items/${seeded.itemIds[5]}`)).status).toBe(204)
    expectError(
      await moveTo(seeded, 2),
      409,
      `${NEEDS(2)} Version 2 (v2) was compared with version 1 (v1) on Questions, 60 items, and 2 items were edited and 1 was deleted since then. Evaluate both runs again, then move the label again.`,
    )
    const { conditions } = await check(seeded, 2)
    expect(conditions).toMatchObject([
      { key: 'role', met: true },
      { key: 'version', met: true },
      { key: 'compared', met: false },
      { key: 'unchanged', met: false, summary: '2 items were edited and 1 was deleted since the evaluations.' },
      { key: 'recent', met: true },
      { key: 'notWorse', met: true },
    ])
    // An item that is new decides nothing.
    const again = await seedGated(app())
    const { runId } = await runAndEvaluate(again, 2)
    await again.client.create(`${again.dataset}/items`, { input: 'new', expected: 'yes' })
    expect((await moveTo(again, 2)).status).toBe(200)
    expect(runId).not.toBe('')
  })

  it('is no run without the metric, and none whose evaluation has not ended', async () => {
    const seeded = await seedGated(app())
    const runId = await runVersion(seeded, 2)
    expectError(await moveTo(seeded, 2), 409, /no evaluated run has only traces of version 2/)
    await evaluate(seeded, runId, { evaluators: [{ type: 'exactMatch', name: 'other' }] })
    expectError(await moveTo(seeded, 2), 409, /On dataset Questions, run v2 was not evaluated with right\./)
    await evaluate(seeded, runId)
    expect((await moveTo(seeded, 2)).status).toBe(200)
  })
})

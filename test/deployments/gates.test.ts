// @module-tag sql
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  check,
  evaluate,
  historyOf,
  moveTo,
  protect,
  runAndEvaluate,
  runVersion,
  saveVersion,
  seedDeployment,
  seedGated,
  textOf,
} from './seed-deployment.ts'

const NEEDS = (version: number, baseline = 1) =>
  `Label production needs a verdict: no comparison of version ${version} with version ${baseline} shows that right is not worse by more than 0.1.`

describeEachEngine('a label with a gate', (app) => {
  it('PUT 409 without evidence, 200 with it, and a rollback always', async () => {
    const seeded = await seedGated(app())
    const { client, path } = seeded
    expectError(
      await moveTo(seeded, 2),
      409,
      `${NEEDS(2)} On dataset Questions, no evaluated run has only traces of version 2. Run version 2 over it so that all traces name answer@2, evaluate the run with right, then move the label again.`,
    )
    expect(await historyOf(seeded)).toMatchObject([{ change: 1, evidence: [] }])
    const { runId, evaluationId } = await runAndEvaluate(seeded, 2)
    const moved = await moveTo(seeded, 2, { note: 'as good' })
    expect(moved.status, moved.text).toBe(200)
    const [change] = await historyOf(seeded)
    expect(change).toMatchObject({
      change: 2,
      evidence: [
        {
          decisionId: null,
          dataset: { id: seeded.datasetId, name: 'Questions' },
          metric: 'right',
          margin: 0.1,
          baseline: { version: 1, ...seeded.baseline, mean: 1 },
          candidate: { version: 2, runId, runName: 'v2', evaluationId, mean: 1 },
          verdict: 'equivalent',
          passed: true,
          items: 60,
          difference: 0,
          looks: 1,
          rule: 'single',
          warnings: [],
          isFromRatings: false,
        },
      ],
    })
    expect(Object(change).evidence[0].summary).toMatch(/^Passed: right is not worse by more than the margin of 0\.1/)
    const { body: live } = await client.get(`${path}/live`)
    expect([live.data].flat()).toMatchObject([
      { change: 2, evidence: [{ passed: true }] },
      { change: 1, evidence: [] },
    ])
    const back = await client.post(`${path}/labels/production/rollback`, {})
    expect(back.body).toMatchObject({ change: 3, splits: [{ version: 1 }] })
    expect((await historyOf(seeded))[0]).toMatchObject({ kind: 'rolledBack', evidence: [] })
  })

  it('409 if the version is worse, names the numbers and what would decide', async () => {
    const seeded = await seedGated(app())
    await runAndEvaluate(seeded, 2, { wrong: (place) => place < 20 })
    const { status, text, body } = await moveTo(seeded, 2)
    expect(status).toBe(409)
    expect(String(body.error), text).toMatch(
      /^Label production needs a verdict: .* 0\.1\. Not passed: right is worse by more than the margin of 0\.1 .* Improve the version, or compare both on more items, then move the label again\.$/,
    )
  })

  it('a better version passes, also where the interval of the margin would not', async () => {
    const seeded = await seedDeployment(app())
    await runAndEvaluate(seeded, 1, { wrong: (place) => place < 12 })
    await moveTo(seeded, 1)
    await protect(seeded, { margin: 0.001 })
    await runAndEvaluate(seeded, 2)
    expect((await moveTo(seeded, 2)).status).toBe(200)
    expect((await historyOf(seeded))[0]).toMatchObject({ evidence: [{ verdict: 'improved', passed: true }] })
  })

  it('a share of any size needs the verdict; lowering it and giving the largest version more need none', async () => {
    const seeded = await seedGated(app())
    const canary: [number, number][] = [
      [1, 90],
      [2, 10],
    ]
    expectError(await moveTo(seeded, canary), 409, new RegExp(NEEDS(2).slice(0, 60)))
    expect(
      (
        await moveTo(seeded, [
          [1, 100],
          [2, 0],
        ])
      ).status,
    ).toBe(200)
    await runAndEvaluate(seeded, 2)
    expect((await moveTo(seeded, canary)).status).toBe(200)
    const { runId } = await runAndEvaluate(seeded, 2, { name: 'worse', wrong: (place) => place < 20 })
    expect(
      (
        await moveTo(seeded, [
          [1, 95],
          [2, 5],
        ])
      ).status,
    ).toBe(200)
    expectError(
      await moveTo(seeded, [
        [1, 80],
        [2, 20],
      ]),
      409,
    )
    expectError(await moveTo(seeded, 2), 409)
    expect((await moveTo(seeded, 1)).status).toBe(200)
    expect(runId).not.toBe('')
    // Each of several new versions needs its own verdict.
    expectError(
      await moveTo(seeded, [
        [1, 80],
        [2, 10],
        [3, 10],
      ]),
      409,
    )
  })

  it('a version that becomes the largest needs the verdict, too: without getting more, others could be lowered below it', async () => {
    const seeded = await seedGated(app())
    await runAndEvaluate(seeded, 2)
    const half: [number, number][] = [
      [1, 50],
      [2, 50],
    ]
    expect((await moveTo(seeded, half)).status).toBe(200)
    // It has turned out to be worse since.
    await runAndEvaluate(seeded, 2, { name: 'worse', wrong: (place) => place < 20 })
    await runAndEvaluate(seeded, 3)
    expectError(await moveTo(seeded, 2), 409)
    expectError(await moveTo(seeded, half.toReversed()), 409, new RegExp(NEEDS(2).slice(0, 90)))
    expectError(
      await moveTo(seeded, [
        [1, 30],
        [2, 40],
        [3, 30],
      ]),
      409,
      new RegExp(NEEDS(2).slice(0, 90)),
    )
    expect(
      (
        await moveTo(seeded, [
          [1, 40],
          [2, 30],
          [3, 30],
        ])
      ).status,
    ).toBe(200)
    expect((await moveTo(seeded, 1)).status).toBe(200)
  })

  it('the first move has nothing to compare with: an admin decides without the gate', async () => {
    const seeded = await seedDeployment(app())
    await runAndEvaluate(seeded, 1)
    await protect(seeded)
    const first =
      'Label production needs a verdict. It serves nothing that version 1 could be compared with. An admin removes the gate (PUT …/labels/production/protection with "gate": null), moves the label once, and sets the gate again'
    expectError(await moveTo(seeded, 1), 409, `${first}.`)
    await protect(seeded, null)
    expect((await moveTo(seeded, 1)).status).toBe(200)
    await protect(seeded)
    // Deleting it and creating it again is a first move, too.
    const label = `${seeded.path}/labels/production`
    expectError(
      await seeded.client.delete(label),
      403,
      'Label production is protected: deleting it requires the role admin in a session; yours is editor',
    )
    expectError(await seeded.client.delete(seeded.path), 403)
    expect((await seeded.admin.delete(label)).status).toBe(204)
    expectError(await moveTo(seeded, 1), 409, `${first}; or roll the label back to what it served last.`)
    expect((await seeded.client.post(`${label}/rollback`, {})).body).toMatchObject({
      change: 3,
      protection: { gate: { metric: 'right' } },
    })
  })

  it('labels of a save obey it: all is saved or nothing', async () => {
    const seeded = await seedGated(app())
    const save = { labels: ['staging', 'production'] }
    expectError(
      await saveVersion(seeded, 4, save),
      409,
      `${NEEDS(4)} Version 4 is new, so no run can be of it. Save it without the label, run it over dataset Questions, evaluate the run with right, then move the label.`,
    )
    expect((await seeded.client.get(`${seeded.path}/versions/4`)).status).toBe(404)
    expectError(await saveVersion(seeded, 2, save), 409, /no evaluated run has only traces of version 2/)
    expect(await seeded.client.list(`${seeded.path}/labels`)).toMatchObject([{ name: 'production' }])
    const { runId } = await runAndEvaluate(seeded, 2)
    const evidence = { comparison: { baselineRunId: seeded.baseline.runId, candidateRunId: runId } }
    const headers = { 'idempotency-key': 'save-2' }
    const body = { content: textOf(2), ...save, evidence }
    for (const _ of [1, 2]) {
      const saved = await seeded.client.send('POST', `${seeded.path}/versions`, { body, headers })
      expect(saved.status, saved.text).toBe(200)
      expect(saved.body).toMatchObject({ number: 2, labels: ['production', 'staging'] })
    }
    expect(await historyOf(seeded)).toMatchObject([{ change: 2, evidence: [{ candidate: { runId } }] }, { change: 1 }])
  })

  it('another label has no gate, and the gate of a label is none of another prompt', async () => {
    const seeded = await seedGated(app())
    expect((await moveTo(seeded, 2, { label: 'production2' })).status).toBe(200)
    const served = await seeded.client.get(`${seeded.component}/served-prompts/answer`)
    expect(served.body).toMatchObject({ label: 'production', splits: [{ version: { number: 1 } }] })
  })

  it('of moves at the same time, one wins, and the other is compared with what is served then', async () => {
    const seeded = await seedGated(app())
    await runAndEvaluate(seeded, 2)
    await runAndEvaluate(seeded, 3)
    const moves = await Promise.all([2, 3, 2, 3].map((version) => moveTo(seeded, version, { ifChange: 1 })))
    expect(moves.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const states = new Set(moves.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body.splits)))
    expect(states.size).toBe(1)
    for (const { status, body } of moves) {
      expect([200, 409]).toContain(status)
      if (status === 409) expect(body.error).toMatch(/at change 2 and serves 100 % version [23]/)
    }
    const [change] = await historyOf(seeded)
    expect(change).toMatchObject({ change: 2, evidence: [{ baseline: { version: 1 } }] })
  })

  it('the evidence stays when runs, evaluations, decisions, gate and dataset are deleted', async () => {
    const seeded = await seedGated(app())
    const { runId } = await runAndEvaluate(seeded, 2)
    const runs = { baselineRunId: seeded.baseline.runId, candidateRunId: runId }
    const decisionId = await seeded.client.create(seeded.decisions, { ...runs, decision: 'release' })
    expect((await moveTo(seeded, 2, { evidence: { decisionId } })).status).toBe(200)
    const before = await historyOf(seeded)
    expect(before[0]).toMatchObject({ evidence: [{ decisionId, candidate: { runId } }] })
    expectError(
      await seeded.client.delete(seeded.dataset),
      409,
      'Label production of prompt answer needs a verdict on this dataset; an admin changes or removes its gate first',
    )
    for (const id of Object.values(runs))
      expect((await seeded.client.delete(`${seeded.component}/runs/${id}`)).status).toBe(204)
    expect((await seeded.admin.delete(`${seeded.decisions}/${decisionId}`)).status).toBe(204)
    expect((await protect(seeded, null)).status).toBe(200)
    expect((await seeded.client.delete(seeded.dataset)).status).toBe(204)
    expect(await historyOf(seeded)).toEqual(before)
  })
})

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

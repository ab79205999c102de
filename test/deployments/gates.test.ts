import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  historyOf,
  moveTo,
  protect,
  runAndEvaluate,
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
          ...{ wins: 0, ties: 60, losses: 0 },
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
    const evidence = [{ verdict: 'improved', passed: true, wins: 12, ties: 48, losses: 0 }]
    expect((await historyOf(seeded))[0]).toMatchObject({ evidence })
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

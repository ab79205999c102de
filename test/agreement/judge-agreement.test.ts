import { expect, it } from 'vitest'
import { listJudgeLabels, listScoreLabels } from '../../src/agreement/judge-labels.ts'
import { newRaters, type RatedRun, rate, seedJudgements, seedRatedRun } from '../annotations/rated-run.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

/** What judge and people say of a trace, and of how many. */
const CELLS = [
  { judge: true, people: true, times: 18 },
  { judge: false, people: true, times: 2 },
  { judge: true, people: false, times: 4 },
  { judge: false, people: false, times: 16 },
]

const CASES = CELLS.flatMap(({ times, ...said }) => Array.from({ length: times }, () => said)).map((said, place) => ({
  ...said,
  ref: `case ${place}`,
}))

describeEachEngine('agreement of a judge with people', (app) => {
  async function seedLabels(cases = CASES): Promise<RatedRun> {
    const run = await seedRatedRun(app(), 0)
    for (const { ref, people } of cases) await rate(run.client, run.path, ref, people ? 'positive' : 'negative')
    return run
  }

  async function judgesOf(client: Client, path: string): Promise<Record<string, unknown>[]> {
    const judges: unknown = (await client.get(`${path}/agreement`)).body.judges
    if (!Array.isArray(judges)) throw new Error('judges are a list')
    return judges
  }

  it('has a sensitivity of 18 in 20, a specificity of 16 in 20 and a κ of 0.7, each with its interval', async () => {
    const run = await seedLabels()
    await seedJudgements(
      app(),
      run,
      CASES.map(({ ref, judge }) => ({ ref, passed: judge, score: Number(judge) })),
    )
    const [judge] = await judgesOf(run.client, run.path)
    // Agreement 34/40 = 0.85; by chance 0.55 × 0.5 + 0.45 × 0.5 = 0.5; (0.85 − 0.5) / 0.5 = 0.7. Intervals after Wilson (1927).
    expect(judge).toMatchObject({
      evaluator: 'judge',
      shared: 40,
      kappa: expect.closeTo(0.7, 10),
      agreement: 0.85,
      sensitivity: 0.9,
      sensitivityCi: [expect.closeTo(0.699, 3), expect.closeTo(0.9721, 3)],
      sensitivityN: 20,
      specificity: 0.8,
      specificityCi: [expect.closeTo(0.584, 3), expect.closeTo(0.9193, 3)],
      specificityN: 20,
    })
    expect(judge?.summary).toMatch(
      /^judge agrees with the raters on 85 % of 40 traces \(κ 0\.70, 95 % CI 0\.\d\d to 0\.\d\d\)\.$/,
    )
    expect(judge?.method).toMatch(/Wilson/)
  })

  it('has no numbers below 20 labels, and returns how many there are', async () => {
    const cases = CASES.slice(0, 19)
    const run = await seedLabels(cases)
    await seedJudgements(
      app(),
      run,
      CASES.map(({ ref, judge }) => ({ ref, passed: judge })),
    )
    const [judge] = await judgesOf(run.client, run.path)
    expect(judge).toMatchObject({ shared: 19, summary: 'too few labels: 19 of at least 20' })
    const numbers = ['kappa', 'kappaCi', 'agreement', 'sensitivity', 'sensitivityCi', 'specificity', 'specificityCi']
    for (const name of numbers) expect(judge?.[name], name).toBeNull()
    await rate(run.client, run.path, CASES[19]?.ref ?? '')
    expect((await judgesOf(run.client, run.path))[0]).toMatchObject({ shared: 20, sensitivity: 0.9 })
  })

  it('is measured by the newest evaluation that has it, of a run and of its dataset', async () => {
    const run = await seedLabels()
    const judged = CASES.map(({ ref, judge }) => ({ ref, passed: judge }))
    await seedJudgements(app(), run, judged)
    const other = judged.map((one) => ({ ...one, evaluator: 'other' }))
    await seedJudgements(app(), run, other, { config: { evaluators: [{ type: 'contains', name: 'other' }] } })
    const names = async (path: string) => (await judgesOf(run.client, path)).map(({ evaluator }) => evaluator)
    expect(await names(run.path)).toEqual(['judge', 'other'])
    expect(await names(`/components/${run.componentId}/datasets/${run.datasetId}`)).toEqual(['judge', 'other'])
  })

  it('is compared with the majority rating; a tie is no label', async () => {
    const run = await seedLabels()
    const [one, two] = await newRaters(app(), { workspaceId: run.workspaceId, count: 2 })
    if (!one || !two) throw new Error('there are two')
    await seedJudgements(
      app(),
      run,
      CASES.map(({ ref, judge }) => ({ ref, passed: judge })),
    )
    // The first is divided now; of the second, two say that it is bad after all.
    await rate(one.client, run.path, 'case 0', 'negative')
    for (const { client } of [one, two]) await rate(client, run.path, 'case 1', 'negative')
    expect((await judgesOf(run.client, run.path))[0]).toMatchObject({
      shared: 39,
      sensitivityN: 18,
      sensitivity: expect.closeTo(16 / 18, 10),
      specificityN: 21,
    })
  })

  it('uses the rating scheme of the application', async () => {
    const run = await seedRatedRun(app(), 0)
    const ratings = [1, 2, 3, 4, 5].map((score) => ({ value: `${score}`, score }))
    await run.client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    for (const [place, { ref, people }] of CASES.entries())
      await rate(run.client, run.path, ref, people ? `${4 + (place % 2)}` : `${1 + (place % 2)}`)
    await rate(run.client, run.path, 'neither', '3')
    const all = [...CASES, { ref: 'neither', judge: true }]
    await seedJudgements(
      app(),
      run,
      all.map(({ ref, judge }) => ({ ref, passed: judge })),
    )
    expect((await judgesOf(run.client, run.path))[0]).toMatchObject({ shared: 40, sensitivity: 0.9, specificity: 0.8 })
  })

  it('counts a case once, by the majority of its repetitions', async () => {
    const run = await seedLabels()
    const evaluationId = await seedJudgements(
      app(),
      run,
      [1, 2, 3].flatMap((repetition) =>
        CASES.map(({ ref, judge }) => {
          const passed = repetition === 3 ? !judge : judge
          return { ref, passed, score: Number(passed), repetition }
        }),
      ),
    )
    expect((await judgesOf(run.client, run.path))[0]).toMatchObject({ shared: 40, sensitivity: 0.9, specificity: 0.8 })
    const { workspaceId } = run
    const labels = await listScoreLabels(app().storage.read, { workspaceId, evaluationId, evaluator: 'judge' })
    const agreed = labels.filter(({ judge, people }) => judge > 0.5 && people === 1)
    expect(agreed.map(({ judge }) => judge)).toEqual(Array.from({ length: 18 }, () => expect.closeTo(2 / 3, 10)))
  })

  it('is each evaluator that draws a line, by the newest completed evaluation that has it, and never the people themselves', async () => {
    const run = await seedLabels()
    const judgedBy = (evaluator: string, passed: boolean | null = true) =>
      CASES.map(({ ref }) => ({ ref, passed, evaluator, score: 1 }))
    const config = { evaluators: [{ type: 'humanRating' }, { type: 'llmJudge', name: 'b' }] }
    // The same evaluators by another config.
    const older = { config: { evaluators: [{ type: 'llmJudge', name: 'a' }] } }
    await seedJudgements(app(), run, [...judgedBy('older'), ...judgedBy('a', false)], older)
    await seedJudgements(
      app(),
      run,
      [...judgedBy('b'), ...judgedBy('a'), ...judgedBy('humanRating'), ...judgedBy('no line', null)],
      { config },
    )
    await seedJudgements(app(), run, judgedBy('failed'), { status: 'failed' })
    const judges = await judgesOf(run.client, run.path)
    expect(judges.map(({ evaluator }) => evaluator)).toEqual(['a', 'b', 'older'])
    // It says yes to everything.
    expect(judges[0]).toMatchObject({ sensitivity: 1, specificity: 0, kappa: 0 })
  })

  it('of a dataset includes all of its runs and items', async () => {
    const run = await seedLabels()
    const { client, componentId, datasetId } = run
    const below = `/components/${componentId}`
    const second = await client.create(`${below}/runs`, { datasetId })
    for (const { ref, people } of CASES)
      await rate(client, `${below}/runs/${second}`, `second ${ref}`, people ? 'positive' : 'negative')
    const verdicts = (mark: string) => CASES.map(({ ref, judge }) => ({ ref: `${mark}${ref}`, passed: judge }))
    await seedJudgements(app(), run, verdicts(''))
    await seedJudgements(app(), { ...run, runId: second }, verdicts('second '))
    const ofDataset = `${below}/datasets/${datasetId}`
    expect((await judgesOf(client, ofDataset))[0]).toMatchObject({ shared: 80, sensitivity: 0.9, specificity: 0.8 })
    await seedJudgements(app(), { ...run, runId: null }, verdicts(''))
    expect((await judgesOf(client, ofDataset))[0]).toMatchObject({ shared: 120 })
    expect((await judgesOf(client, run.path))[0]).toMatchObject({ shared: 40 })
  })

  it('reads labels page by page without losing or doubling a case at the edges', async () => {
    const cases = Array.from({ length: 700 }, (_, place) => ({
      ref: `c${place}`,
      judge: place % 3 > 0,
      people: place % 2 > 0,
    }))
    const run = await seedRatedRun(app(), 0)
    const evaluationId = await seedJudgements(
      app(),
      run,
      [1, 2, 3].flatMap((repetition) => cases.map(({ ref, judge }) => ({ ref, passed: judge, repetition }))),
    )
    await seedRatings(run, cases)
    const { workspaceId } = run
    const labels = await listJudgeLabels(app().storage.read, { workspaceId, evaluationId, evaluator: 'judge' })
    const count = (judge: boolean, people: boolean) =>
      labels.filter((label) => label.judge === judge && label.people === people).length
    expect([count(true, true), count(true, false), count(false, true), count(false, false)]).toEqual(
      [
        [true, true],
        [true, false],
        [false, true],
        [false, false],
      ].map(([judge, people]) => cases.filter((one) => one.judge === judge && one.people === people).length),
    )
    expect(
      await listJudgeLabels(app().storage.read, { workspaceId, evaluationId: run.runId, evaluator: 'judge' }),
    ).toEqual([])
  })

  async function seedRatings(run: RatedRun, cases: readonly { ref: string; people: boolean }[]): Promise<void> {
    for (let start = 0; start < cases.length; start += 50)
      await Promise.all(
        cases
          .slice(start, start + 50)
          .map(({ ref, people }) => rate(run.client, run.path, ref, people ? 'positive' : 'negative')),
      )
  }
})

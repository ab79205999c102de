import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  ask,
  type Judgement,
  newRaters,
  type RatedRun,
  rate,
  rateAll,
  seedJudgements,
  seedRatedRun,
  setPolicy,
} from './rated-run.ts'

describeEachEngine('the queue in the order of information', (app) => {
  const seed = (count: number) => seedRatedRun(app(), count, { sorted: 'by id' })
  const next = ({ client, path }: Pick<RatedRun, 'client' | 'path'>) => ask(client, path, [], 'information')

  /** What a person who rates everything positively is handed, as places in the run. */
  async function handedOut(run: RatedRun, people = 1): Promise<number[]> {
    const [person] = await newRaters(app(), { workspaceId: run.workspaceId, count: people })
    if (!person) throw new Error('there is one')
    const places: number[] = []
    for (;;) {
      const { traceDbId } = await next({ ...run, client: person.client })
      if (traceDbId === null) return places
      places.push(run.traces.findIndex(({ id }) => id === traceDbId))
      await rate(person.client, run.path, traceDbId)
    }
  }

  function judge(run: RatedRun, of: (place: number) => Omit<Judgement, 'ref'>): Judgement[] {
    return run.traces.map(({ traceId }, place) => ({ ref: traceId, ...of(place) }))
  }

  it('is random while nothing has judged the run, also while an evaluation runs or when it failed', async () => {
    const run = await seedRatedRun(app(), 4)
    const scores = judge(run, (place) => ({ passed: place > 1, score: place }))
    await seedJudgements(app(), run, scores, { status: 'running' })
    await seedJudgements(app(), run, scores, { status: 'failed' })
    expect((await next(run)).body.order).toBe('random')
    expect(await handedOut(run)).toEqual([0, 1, 2, 3])
  })

  it('begins with traces on which people and a judge disagree', async () => {
    const run = await seed(6)
    await seedJudgements(
      app(),
      run,
      judge(run, (place) => ({ passed: place < 5, score: Number(place < 5) })),
    )
    const { client, path, traces } = run
    await rateAll(client, path, traces.slice(0, 1), 'positive')
    await rateAll(client, path, traces.slice(3, 4), 'negative')
    await rateAll(client, path, traces.slice(5), 'positive')
    expect((await next(run)).body.order).toBe('information')
    // The fourth and the last are disputed; then the unrated ones, from the current position; the first has one rating.
    expect(await handedOut(run)).toEqual([3, 5, 1, 2, 4, 0])
  })

  it('continues with the traces nearest to the threshold of the judge', async () => {
    const run = await seed(6)
    const scores = [1, 5, 3.75, 1.5, 4.25, 4.75]
    await seedJudgements(
      app(),
      run,
      judge(run, (place) => ({ passed: (scores[place] ?? 0) >= 4, score: scores[place] ?? 0 })),
    )
    // The line is in the middle between 3.75 and 4.25. What is far from it is left to the rest, from where the person was onwards.
    expect(await handedOut(run)).toEqual([2, 4, 5, 1, 3, 0])
  })

  it('counts repetitions that differ as doubt, also for a judge that only says yes or no', async () => {
    const run = await seed(4)
    const repeated = [1, 2, 3, 4].flatMap((repetition) =>
      judge(run, (place) => {
        const passed = place === 2 ? repetition > 2 : place === 3 ? repetition > 1 : true
        return { passed, score: Number(passed), repetition }
      }),
    )
    await seedJudgements(app(), run, repeated)
    expect(await handedOut(run)).toEqual([2, 3, 0, 1])
  })

  it('is not that of people’s own ratings, which an evaluator may repeat', async () => {
    const run = await seedRatedRun(app(), 3)
    const config = { evaluators: [{ type: 'humanRating', name: 'people' }, { type: 'exactMatch' }] }
    const ratings = judge(run, (place) => ({ passed: place > 1, score: place, evaluator: 'people' }))
    await seedJudgements(app(), run, ratings, { config })
    expect((await next(run)).body.order).toBe('random')
    expect(await handedOut(run)).toEqual([0, 1, 2])
  })

  it('follows the newest evaluation of the run', async () => {
    const run = await seed(3)
    const sure = (unsure: number) => judge(run, (place) => ({ passed: true, score: place === unsure ? 3 : 5 + place }))
    await seedJudgements(app(), run, sure(1))
    expect((await next(run)).traceDbId).toBe(run.traces[1]?.id)
    await seedJudgements(app(), run, sure(2))
    expect((await next(run)).traceDbId).toBe(run.traces[2]?.id)
  })

  it('uses an evaluation that is run again, and ignores a deleted one', async () => {
    const run = await seed(3)
    const unsure = (place: number) => run.traces[place]?.traceId ?? ''
    const id = await seedJudgements(
      app(),
      run,
      judge(run, (place) => ({ passed: true, score: place === 1 ? 3 : 5 })),
    )
    expect((await next(run)).traceDbId).toBe(run.traces[1]?.id)
    const scores = (ref: string, score: number) =>
      app().storage.transaction((tx) =>
        tx
          .updateTable('evaluation_scores')
          .set({ score })
          .where('evaluation_id', '=', id)
          .where('case_ref', '=', ref)
          .execute(),
      )
    await scores(unsure(1), 5)
    await scores(unsure(2), 3)
    await change({ completed_at: new Date(app().clock.now() + 1_000).toISOString() })
    expect((await next(run)).traceDbId).toBe(run.traces[2]?.id)
    await change({ deleted_at: new Date(app().clock.now()).toISOString() })
    const { body, traceDbId } = await next(run)
    expect([body.order, traceDbId]).toEqual(['random', expect.any(String)])

    async function change(values: { completed_at?: string; deleted_at?: string }): Promise<void> {
      await app().storage.transaction((tx) => tx.updateTable('evaluations').set(values).where('id', '=', id).execute())
    }
  })

  it('does not exceed the number of raters, even for informative traces', async () => {
    const run = await seed(3)
    await seedJudgements(
      app(),
      run,
      judge(run, () => ({ passed: true, score: 1 })),
    )
    await setPolicy(run.client, run.path, { ratersPerItem: 1 })
    await rateAll(run.client, run.path, run.traces.slice(1, 2), 'negative')
    expect(await handedOut(run)).toEqual([0, 2])
  })
})

/** Evaluations of the SDK that are resumed by their name. */
import { expect, it } from 'vitest'
import { evaluate, observe, type Progress, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

const ITEMS = 6

type Item = { input: string | null }

async function seed(app: TestApp) {
  const { key } = await app.newWorkspace()
  const client = new Touchstone({ apiKey: key, baseUrl: app.url })
  const { id: component } = await client.components.create({ name: 'Adder' })
  const dataset = await client.datasets.create(component, { name: 'Sums' })
  const items = Array.from({ length: ITEMS }, (_, n) => ({ input: `${n} + 1`, expected: String(n + 1) }))
  await client.datasets.items.create(component, dataset.id, items)
  return { client, component, options: { client, component: 'Adder', dataset: 'Sums', name: 'v1', resumable: true } }
}

const add = ({ input }: Item) => String((input ?? '').split('+').reduce((sum, term) => sum + Number(term), 0))

describeEachEngine(
  'an evaluation of the SDK that is resumable',
  (app) => {
    it('goes on where it stopped when it is called again with its name, and runs no item twice', async () => {
      const { client, component, options } = await seed(app())
      const controller = new AbortController()
      const asked: (string | null)[] = []
      const task = (item: Item) => {
        asked.push(item.input)
        if (asked.length === 3) controller.abort(new Error('the power went out'))
        return add(item)
      }
      const first = evaluate({ ...options, task, concurrency: 1, signal: controller.signal })
      await expect(first).rejects.toThrow('the power went out')
      expect(asked).toHaveLength(3)
      const progress: Progress[] = []
      const onProgress = (one: Progress) => progress.push(one)
      const again = await evaluate({ ...options, task, evaluators: ['exactMatch'], onProgress })
      expect(new Set(asked).size).toBe(ITEMS)
      expect(asked).toHaveLength(ITEMS)
      expect(progress.filter(({ phase }) => phase === 'tasks').at(-1)).toMatchObject({ done: 3, total: 3 })
      expect(again.run).toMatchObject({ traceCount: ITEMS })
      expect(again.cases.map(({ output }) => output).sort()).toEqual(['1', '2', '3', '4', '5', '6'])
      for (const { scores } of again.cases) expect(scores['exactMatch']).toMatchObject({ state: 'scored', score: 1 })
      await evaluate({ ...options, task })
      expect(asked).toHaveLength(ITEMS)
      const compared = await evaluate({ ...options, name: 'v2', baseline: 'v1', task, evaluators: ['exactMatch'] })
      expect(compared.comparison?.baseline.runId).toBe(again.run.id)
      await expect(evaluate({ ...options, name: 'v3', baseline: 'gone', task })).rejects.toThrow('named "gone"')
      expect(await client.runs.list(component).toArray()).toHaveLength(2)
    })

    it('has the same cases as without it: outputs of any JSON, errors, and the spans of each task', async () => {
      const { client, options } = await seed(app())
      const lookUp = observe(async (text: string) => add({ input: text }), { name: 'look up' })
      const task = async ({ input }: Item) => {
        if (input === '3 + 1') throw new RangeError('no threes')
        return { sum: await lookUp(input ?? '') }
      }
      const isRight = ({ output, expected }: { output: { sum: string } | undefined; expected: string | null }) =>
        output?.sum === expected
      const { cases } = await evaluate({ ...options, task, evaluators: [isRight] })
      const plain = await evaluate({ ...options, name: 'plain', resumable: false, task, evaluators: [isRight] })
      const seen = (all: typeof cases) =>
        all
          .map(({ input, output, error, scores }) => [input, output, error, scores['isRight']?.passed] as const)
          .sort(([a], [b]) => String(a).localeCompare(String(b)))
      expect(seen(cases)).toEqual(seen(plain.cases))
      const [one] = cases.filter(({ error }) => error === undefined)
      const { spans } = await client.traces.get(one?.traceDbId ?? '')
      expect(spans.map(({ name }) => name)).toContain('look up')
    })

    it('programs that begin at the same time share one trial and one evaluation', { tags: 'deep' }, async () => {
      const { client, component, options } = await seed(app())
      const asked: (string | null)[] = []
      const bothHaveBegun = Promise.withResolvers<void>()
      const task = async (item: Item) => {
        asked.push(item.input)
        if (asked.length === 2) bothHaveBegun.resolve()
        await bothHaveBegun.promise
        return add(item)
      }
      const both = await Promise.all(
        [1, 2].map(() => evaluate({ ...options, task, evaluators: ['exactMatch'], concurrency: 1 })),
      )
      expect(asked.toSorted()).toEqual(['0 + 1', '1 + 1', '2 + 1', '3 + 1', '4 + 1', '5 + 1'])
      expect(await client.trials.list(component).toArray()).toHaveLength(1)
      expect(await client.runs.list(component).toArray()).toHaveLength(1)
      for (const { cases } of both) expect(cases).toHaveLength(ITEMS)
      expect(both[0]?.evaluation.id).toBe(both[1]?.evaluation.id)
      expect(await client.evaluations.list(component).toArray()).toHaveLength(1)
      // What is asked for afterwards is another evaluation, for example because the items have changed.
      await evaluate({ ...options, task, evaluators: ['exactMatch'] })
      expect(await client.evaluations.list(component).toArray()).toHaveLength(2)
    })

    it('starts nothing if its options are wrong', async () => {
      const { client, component, options } = await seed(app())
      const wrong = { ...options, task: add }
      const { name: _, ...withoutName } = wrong
      await expect(evaluate(withoutName)).rejects.toThrow('needs a name')
      await expect(evaluate({ ...wrong, resume: 'x' })).rejects.toThrow('not both')
      await expect(evaluate({ ...wrong, evaluators: ['noSuchEvaluator'] })).rejects.toThrow('noSuchEvaluator')
      expect(await client.trials.list(component).toArray()).toEqual([])
      expect(await client.runs.list(component).toArray()).toEqual([])
      const [{ id: datasetId } = { id: '' }] = await client.datasets.list(component).toArray()
      const variants = [{ target: { type: 'worker' as const, queue: 'other' } }]
      await client.trials.create(component, { datasetId, name: 'v1', variants })
      await expect(evaluate(wrong)).rejects.toThrow('is not one of this evaluation')
    })
  },
  { retryPauseMs: 1 },
)

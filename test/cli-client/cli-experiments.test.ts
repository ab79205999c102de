/** Experiments from the command line, against a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerAtOnce,
  createExperiment,
  experimentWith,
  readExperiment,
  seedExperiment,
  startExperiment,
} from '../experiments/seed-experiment.ts'
import { type CommandResult, touchstone } from '../harness/cli-in-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

let app: TestApp
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-experiments-'))
  app = await startTestApp(`file:${folder}/server.db`, { retryPauseMs: 1 })
})
afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function seed(models: Parameters<typeof seedExperiment>[1] = { answer: answerAtOnce }) {
  const seeded = await seedExperiment(app, models)
  const { client, componentId, path, key } = seeded
  const [{ body: component }, { body: prompt }] = await Promise.all([
    client.get(`/components/${componentId}`),
    client.get(path),
  ])
  const options = { url: app.url, key, folder }
  const run = (...words: string[]): Promise<CommandResult> => touchstone(['experiment', ...words], options)
  const plan = (changes = '') => {
    const file = join(folder, 'plan.yaml')
    writeFileSync(
      file,
      `
name: better rules
component: ${component.name}
dataset: Questions
prompt: ${prompt.name}
evaluators: [exactMatch]
splits: {train: 0.3, validation: 0.2, test: 0.5, seed: 7}
${changes}`,
    )
    return file
  }
  return { ...seeded, run, plan, component: String(component.name), options }
}

describe('touchstone experiment', () => {
  it('runs a plan with names instead of ids, and reports verdict, version and cost', async () => {
    const { run, plan } = await seed()
    const { code, output, errors } = await run('run', plan(), '--wait')
    expect(code, errors).toBe(0)
    expect(errors).toMatch(/test items a rate must change by about \d+ points/)
    expect(errors).toMatch(/Started the experiment \S+: http\S+\/experiments\//)
    const lines = output.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^improved: .*better/)
    expect(lines).toContainEqual(expect.stringMatching(/^The search ended: /))
    expect(lines).toContainEqual(expect.stringMatching(/^Proposal 1 is version \d+ of the prompt\.$/))
    expect(lines.at(-1)).toMatch(/^Cost: \d.* USD\.$/)
  })

  it('prints the experiment with its results as JSON, and lists it', async () => {
    const { run, plan, component } = await seed()
    const { code, output, errors } = await run('run', plan(), '--wait', '--json')
    expect(code, errors).toBe(0)
    const report = JSON.parse(output)
    expect(report).toMatchObject({
      name: 'better rules',
      status: 'completed',
      results: { verdict: 'improved', test: { finalists: [{ iteration: 1 }] } },
    })
    const listed = await run('list', '--component', component, '--json')
    expect(JSON.parse(listed.output)).toMatchObject([{ id: report.id, name: 'better rules', status: 'completed' }])
    const watched = await run('watch', 'better rules', '--component', component, '--json')
    expect(JSON.parse(watched.output)).toEqual(report)
  })

  it('only estimates with --dry-run', async () => {
    const { run, plan, component } = await seed()
    const { code, output } = await run('run', plan(), '--dry-run', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({ items: { train: 18, validation: 12, test: 30 } })
    expect(JSON.parse((await run('list', '--component', component, '--json')).output)).toEqual([])
  })

  it('starts, cancels, resumes and stops an experiment by its name', async () => {
    const open = Promise.withResolvers<void>()
    const seeded = await seed({
      answer: async (request) => {
        await open.promise
        return answerAtOnce(request)
      },
    })
    const { client, component, run } = seeded
    const { id, path } = await createExperiment(seeded, { name: 'made by the API' })
    const change = async (action: string) => {
      const { output, errors } = await run(action, 'made by the API', '--component', component, '--json')
      return JSON.parse(output || errors)
    }
    const early = await run('watch', id, '--component', component)
    expect(early).toMatchObject({ code: 2, errors: expect.stringContaining(`touchstone experiment start ${id}`) })
    expect(await change('start')).toMatchObject({ id, status: 'running' })
    expect(await change('cancel')).toMatchObject({ id, status: 'failed' })
    expect(await change('resume')).toMatchObject({ id, status: 'running' })
    expect(await change('get')).toMatchObject({ id, status: 'running' })
    open.resolve()
    expect(await experimentWith(client, path)).toMatchObject({ status: 'completed' })
    const late = await run('stop', id, '--component', component)
    expect(late).toMatchObject({ code: 1, errors: expect.stringContaining('completed') })
  })

  it('leaves the experiment on the server when watching is interrupted, and says how to go on', async () => {
    const seeded = await seed({ answer: () => new Promise(() => {}) })
    const { id, path } = await startExperiment(seeded)
    const controller = new AbortController()
    const { code, errors } = await touchstone(['experiment', 'watch', id, '--component', seeded.component, '--debug'], {
      ...seeded.options,
      signal: controller.signal,
      onMessage: (text) => text.includes(`${id}/events`) && controller.abort(),
    })
    expect(code).toBe(130)
    expect(errors).toContain(`touchstone experiment watch ${id}`)
    expect(errors).toContain(`touchstone experiment cancel ${id}`)
    expect(await readExperiment(seeded.client, path)).toMatchObject({ status: 'running' })
  })

  it('says which name is unknown, and where a plan is not an object', async () => {
    const { run, plan, component } = await seed()
    const unknown = await run('watch', 'nothing', '--component', component)
    expect(unknown).toMatchObject({ code: 4, errors: expect.stringContaining('no experiment named "nothing"') })
    const noPrompt = await run('run', plan().replace('plan.yaml', 'other.yaml'))
    expect(noPrompt.code).toBe(2)
    const file = join(folder, 'list.yaml')
    writeFileSync(file, '- dataset')
    expect(await run('run', file)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('the fields of an experiment, such as dataset, prompt and evaluators'),
    })
  })
})

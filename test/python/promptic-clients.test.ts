// @module-tag deep
/** The command lines of promptic-sdk from PyPI, unmodified, with experiments from their description to their deployment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createIdNames, PROMPTIC_VERSIONS, readRecording, writeRecording } from '../experiments/promptic-exchanges.ts'
import { answerAtOnce } from '../experiments/seed-experiment.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'
import { seedPlayground } from '../playground/trying.ts'
import { installFromPypi, type PythonEnvironment, succeed } from './python-environment.ts'
import { recordExchanges } from './record-exchanges.ts'

/** Only there to end what hangs: packages are installed on a machine that is busy. */
const TIMEOUT_MS = 1_800_000

it.for(PROMPTIC_VERSIONS)(
  'promptic-sdk %s runs its commands, and sends the requests that were recorded of it',
  { timeout: TIMEOUT_MS },
  async (version, { skip }) => {
    const run = await installFromPypi(`promptic-sdk==${version}`)
    if ('missing' in run) {
      console.warn(`\n  !! promptic-sdk is not tested: ${run.missing}.\n`)
      return skip(run.missing)
    }
    const database = await createTestDatabase('sqlite', 'migrated')
    const app = await startTestApp(database.url)
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-promptic-'))
    try {
      const { client, key } = await seedPlayground(app, { answer: answerAtOnce })
      await using proxy = await recordExchanges(app.url)
      const environment = { PROMPTIC_API_KEY: key, PROMPTIC_ENDPOINT: proxy.url, HOME: folder, COLUMNS: '400' }
      const untilEnded = (id: string) =>
        waitFor('the experiment', async () => {
          const { experimentStatus } = (await client.get(`/experiments/${id}`)).body
          return ['completed', 'failed'].includes(String(experimentStatus)) || undefined
        })
      await runCommands({ folder, isNewest: version === '1.1.0', untilEnded, ...commandsOf(run, environment) })
      const { withNames } = createIdNames()
      const exchanges = proxy.exchanges.map(withNames)
      if (process.env['RECORD']) writeRecording(version, exchanges)
      expect(exchanges).toEqual(readRecording(version))
    } finally {
      await app.close()
      database.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

type Commands = {
  /** Runs `promptic` with these words. */
  promptic(...words: string[]): Promise<string>
  /** The same with `--json`. */
  created(...words: string[]): Promise<{ id: string; datasetId: string; data: { id: string }[] }>
}

function commandsOf(run: PythonEnvironment['run'], environment: Record<string, string>): Commands {
  const promptic = (...words: string[]) => succeed(run('promptic', words, { environment }))
  return { promptic, created: async (...words) => JSON.parse(await promptic(...words, '--json')) }
}

type Running = Commands & { folder: string; isNewest: boolean; untilEnded(id: string): Promise<unknown> }

const INPUTS = Array.from({ length: 36 }, (_, place) => `${'abcdef'.charAt(place % 6)}${place}`)
const splitOf = (place: number) => (place < 12 ? 'train' : 'eval')

async function runCommands({ promptic, created, folder, isNewest, untilEnded }: Running): Promise<void> {
  const file = (name: string, content: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const { id: component } = await created('components', 'create', 'Labels')
  if (isNewest) await promptic('models', 'list')
  const hyperparameters = file('hyperparameters.json', { epochs: 2, trainSplitRatio: 0.5 })
  const { id, datasetId } = await created(
    ...['experiments', 'create', '-c', component, '-m', 'model-1', '-t', 'classification', '-p', 'Answer.'],
    ...['--name', 'Labels', '--provider', 'models', ...(isNewest ? ['--hyperparameters', hyperparameters] : [])],
  )
  await promptic('experiments', 'list')
  await promptic('experiments', 'list', '-c', component, '--status', 'pending')
  await promptic('experiments', 'get', id)
  await promptic('experiments', 'update', id, '--name', 'Words')
  await promptic('evaluators', 'add', id, '-n', 'Right', '-t', 'f1')
  const judge = ['-n', 'Kind', '-t', 'generalJudge', '--scale-min', '1', '--scale-max', '5', '-w', '2']
  const { data } = await created('evaluators', 'add', id, ...judge)
  await promptic('evaluators', 'list', id)
  await promptic('evaluators', 'delete', id, data[0]?.id ?? '', '-f')
  if (isNewest) {
    const cases = INPUTS.map((input, place) => ({
      inputPayload: { input },
      expectedPayload: { value: 'right' },
      split: splitOf(place),
    }))
    const of = [datasetId, '--component', component]
    await promptic('datasets', 'cases', 'add', ...of, '--file', file('cases.json', cases))
    await promptic('datasets', 'cases', 'list', ...of)
    const one = ['datasets', 'cases']
    await promptic(...one, 'get', datasetId, '1', '--component', component)
    const change = file('case.json', { expectedPayload: { value: 'other' }, split: null })
    await promptic(...one, 'update', datasetId, '36', '--component', component, '--file', change)
    await promptic(...one, 'delete', datasetId, '36', '--component', component, '-f')
    const tools = file('tools.json', [{ name: 'get_weather', description: 'Weather' }])
    const tests = file('tests.json', [
      { query: 'Weather?', expected_tool: 'get_weather' },
      { query: 'Hi', expected_tool: '' },
    ])
    const words = ['--tools', tools, '--test-cases', tests, '--target-model', 'model-1', '--epochs', '2']
    await created('experiments', 'create-tool-selection', '-c', component, ...words)
  } else {
    const rows = INPUTS.map((input, place) => `${input},right,${splitOf(place)}`)
    await promptic('observations', 'add', id, '-f', file('cases.csv', `input,expected,split\n${rows.join('\n')}\n`))
    await promptic('observations', 'add', id, '-i', 'a0', '-e', 'right', '--split', 'eval')
    await promptic('observations', 'list', id)
    await promptic('observations', 'delete', id, '37', '-f')
  }
  await promptic('experiments', 'start', id)
  await untilEnded(id)
  await promptic('iterations', 'list', id)
  await promptic('iterations', 'get', id, '0')
  await promptic('iterations', 'best', id)
  await promptic('deployments', 'status', component)
  await promptic('deployments', 'deploy', component, id)
  await promptic('deployments', 'status', component)
  await promptic('deployments', 'prompt', component)
  await promptic('deployments', 'undeploy', component, '-f')
  const copy = await created('experiments', 'duplicate', id)
  await promptic('experiments', 'duplicate', id, '-p', 'Say it.')
  await promptic('experiments', 'continue', id)
  await promptic('experiments', 'delete', copy.id, '-f')
}

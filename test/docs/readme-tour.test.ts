import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'

const run = promisify(execFile)
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The commands of the tour, as a newcomer pastes them: with the key and the address of this server. */
function tour(key: string, url: string): string {
  const text = readme.slice(readme.indexOf('<!-- tour:start -->'), readme.indexOf('<!-- tour:end -->'))
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  return blocks.join('\n').replace('tsk_…', key).replaceAll('http://127.0.0.1:3000', url)
}

describeEachEngine('the tour of the README', (app) => {
  it('works word for word', async () => {
    const { key } = await app().newWorkspace()
    const { stdout, stderr } = await run('bash', ['--norc', '--noprofile', '-eu', '-c', tour(key, app().url)])
    expect(stderr).toBe('')
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    expect(answers.filter((answer) => 'error' in answer && answer.error !== null)).toEqual([])
    const evaluation = answers.find((answer) => 'progress' in answer)
    expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 4, done: 4, failed: 0, skipped: 0 } })
    const [metric] = evaluation.results.metrics
    expect(metric.mean).toBe(0.75)
    expect(metric.ci.map((end: number) => end.toFixed(2))).toEqual(['0.30', '0.95'])
    expect(answers.at(-1)).toEqual({ data: [] })
  })
})

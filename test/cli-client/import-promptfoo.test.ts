/** Imports of files of promptfoo, by the command. The fixtures were written by the tool itself. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkImport, PLANTED_SECRET } from '../harness/check-import.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const FIXTURES = join(import.meta.dirname, 'import-fixtures')

let app: TestApp
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-import-'))
  app = await startTestApp(`file:${folder}/server.db`)
})

afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('import promptfoo', () => {
  it('turns a config and its results into one dataset, a run per column, and scores', { tags: 'deep' }, async () => {
    const files = ['capitals.yaml', 'capitals-results.json'].map((file) => join(FIXTURES, 'promptfoo', file))
    const { report, client, componentId } = await checkImport(app, ['promptfoo', ...files])
    expect(report.counts).toMatchObject({
      datasets: { created: 1 },
      items: { source: 6, created: 3, alreadyThere: 3 },
      runs: { created: 2 },
      traces: { created: 6 },
      prompts: { created: 2 },
      versions: { created: 2 },
    })
    expect((await client.list(`/components/${componentId}/prompts`)).map(({ name }) => name)).toEqual([
      'polite',
      'Capitals-of-countries/prompt-1',
    ])
    expect(report.notTaken).toContainEqual({
      of: 'other',
      what: 'assertion javascript',
      reason: 'it runs code of your own: deliver its results as external scores',
      count: 2,
    })
    expect(report.suggestedEvaluators).toContainEqual({ type: 'latency', maxMs: 5000 })
    const [run] = await client.list(`/components/${componentId}/runs`)
    expect(run).toMatchObject({ name: 'echo-two, polite (eval-VRU-2026-11-17T11:24:29)', traceCount: 3 })
    const { body } = await client.get(`/components/${componentId}/runs/${run?.['id']}/cases?q=Peru`)
    expect(body).toMatchObject({
      data: [{ expected: 'Lima', input: 'What is the capital of Peru?' }],
    })
  })
})

describe('import promptfoo, prompts', () => {
  it('takes texts, chats and files, and names what has logic that prompts do not have', async () => {
    const project = mkdtempSync(join(folder, 'promptfoo-'))
    const files = {
      'prompts/two.txt': 'First {{a}}\n---\nSecond {{b}}\n',
      'prompts/chat.json': JSON.stringify([
        { role: 'system', content: 'You answer for {{company}}.' },
        { role: 'user', content: '{{ question }}' },
      ]),
      'prompts/chat.yaml': '- role: user\n  content: "{{question}}"\n',
      'prompts/logic.j2': 'You answer {% if polite %}politely{% endif %}: {{question}}',
      'more/a.md': '# Task\n\n{{task}}',
      'more/b.md': 'Do {{task}}.',
      'rows.csv': 'prompt,label\n"To French: {{text}}",French\n"To Spanish: {{text}}",Spanish\n',
      'config.yaml': `
description: Shop
prompts:
  - "Answer: {{question}}"
  - |-
    - role: system
      content: Be brief.
    - role: user
      content: "{{question}}"
  - file://prompts/two.txt
  - { id: file://prompts/chat.json, label: support answer, config: { temperature: 0.3, apiKey: ${PLANTED_SECRET} } }
  - prompts/chat.yaml
  - file://prompts/logic.j2
  - "Product: {{ product | upper }}"
  - "Order {{ order.id }}"
  - file://more/*.md
  - file://rows.csv
  - file://write.py:prompt
  - exec:./write.sh
  - langfuse://answer:3:text
  - file://missing.txt
  - '[{"role": "user", "content": {{question}}}]'
  - { label: support answer, raw: "Twice {{x}}" }
defaultTest:
  options: { prefix: "Be kind. " }
tests:
  - vars: { question: Why? }
`,
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), text)
    }
    const { report, client, componentId } = await checkImport(app, ['promptfoo', join(project, 'config.yaml')])
    const prompts = await client.list(`/components/${componentId}/prompts`)
    expect(prompts.map(({ name }) => name).reverse()).toEqual([
      'Shop/prompt-1',
      'Shop/prompt-2',
      'prompts/two-1',
      'prompts/two-2',
      'support-answer',
      'prompts/chat',
      'more/a',
      'more/b',
      'French',
      'Spanish',
    ])
    const path = `/components/${componentId}/prompts/${prompts.find(({ name }) => name === 'support-answer')?.id}`
    expect((await client.get(`${path}/versions/1`)).body).toMatchObject({
      note: null,
      variables: ['company', 'question'],
      content: { messages: [{ role: 'system' }, { role: 'user' }], parameters: { temperature: 0.3 } },
    })
    const reasons = report.notTaken.filter(({ of }) => of === 'prompts').map(({ what, reason }) => [what, reason])
    expect(reasons).toEqual([
      ['prompts/logic', 'it has logic, which prompts do not have: {% if polite %}'],
      ['Shop/prompt-7', 'it has logic, which prompts do not have: {{ product | upper }}'],
      ['Shop/prompt-8', 'it has logic, which prompts do not have: {{ order.id }}'],
      ['file://write.py:prompt', 'it is written by code; push what it returns'],
      ['exec:./write.sh', 'it is the output of a program; push what it prints'],
      ['langfuse://answer:3:text', 'it is stored in another service; import it from there'],
      ['missing', expect.stringMatching(/^it cannot be read: ENOENT/)],
      ['Shop/prompt-15', 'it is no list of messages before its variables are replaced'],
      ['support answer', 'another prompt has the name support-answer; give it a label'],
    ])
    expect(report.notTaken).toContainEqual({
      of: 'other',
      what: 'prefix Be kind.',
      reason: 'it is added to every prompt when promptfoo runs; write it into the prompts',
      count: 1,
    })

    writeFileSync(join(project, 'prompts/chat.json'), '[{"role": "user", "content": "Changed {{question}}"}]')
    const { key } = await app.newWorkspace()
    const importInto = () =>
      touchstone(['import', 'promptfoo', join(project, 'config.yaml'), '--component', 'Bot'], { url: app.url, key })
    expect((await importInto()).output).toMatch(/^prompts\t19\t10\t0\t9$/m)
    writeFileSync(join(project, 'prompts/chat.json'), '[{"role": "user", "content": "Again {{question}}"}]')
    expect((await importInto()).output).toMatch(/^versions\t10\t1\t9\t0$/m)
  })
})

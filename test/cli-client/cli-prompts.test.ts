/** Prompts as files: the form of the files, and the commands against a server. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatPromptFile, parsePromptFile } from '../../packages/cli/src/prompts/prompt-file.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const ANSWER = `---
name: answer
note: first
model: gpt-5-mini
parameters:
  temperature: 0.2
---

# system

You answer for {{company}}.

## Style
\\# user
Short.

# placeholder history

# user
{{question}}
`

describe('the file of a prompt', () => {
  it('has settings in the front matter and a heading for each message', () => {
    expect(parsePromptFile(ANSWER, 'answer.md')).toEqual({
      name: 'answer',
      note: 'first',
      content: {
        model: 'gpt-5-mini',
        parameters: { temperature: 0.2 },
        messages: [
          { role: 'system', content: 'You answer for {{company}}.\n\n## Style\n# user\nShort.' },
          { placeholder: 'history' },
          { role: 'user', content: '{{question}}' },
        ],
      },
    })
    expect(parsePromptFile(ANSWER.replaceAll('\n', '\r\n'), 'a.md')).toEqual(parsePromptFile(ANSWER, 'a.md'))
    expect(parsePromptFile('# user\nHello', 'a.md').content).toEqual({ messages: [{ role: 'user', content: 'Hello' }] })
  })

  it('keeps every content through a file', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('# user', '\\# system', '# placeholder a', '---', '', ' ', '\r'))
    const text = fc.array(line).map((lines) => lines.join('\n'))
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant'), content: text }),
      fc.record({ placeholder: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/) }),
    )
    const content = fc.record({
      messages: fc.array(message, { minLength: 1 }),
      model: fc.string({ minLength: 1 }),
      provider: fc.string({ minLength: 1 }),
      tools: fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), { minLength: 1 }),
      responseFormat: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }),
      parameters: fc.record({ stop: text, temperature: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0.1 }) }),
    })
    fc.assert(
      fc.property(content, (written) => {
        expect(parsePromptFile(formatPromptFile({ name: 'a', content: written }), 'a.md').content).toEqual(written)
      }),
    )
  })

  it.each([
    ['---\nmodle: x\n---\n# user\na', 'the front matter has no field modle; it has name, note, model'],
    ['---\na: [\n---\n# user\na', 'the front matter is not YAML'],
    ['---\nname: 1\n---\n# user\na', 'name must be a text.'],
    ['Hello\n# user\na', 'the text "Hello" is in no message.'],
    ['# placeholder history\ntext', 'there is text below "# placeholder history"'],
    ['---\nmodel: x\n---\n', 'there is no message.'],
    ['---\nmessages: []\n---\n# user\na', 'messages are either in the front matter or below it'],
  ])('%j is rejected with the reason', (text, reason) => {
    expect(() => parsePromptFile(text, 'a.md')).toThrow(`a.md: ${reason}`)
  })
})

describe('touchstone prompts', () => {
  let app: TestApp
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-prompts-'))
    app = await startTestApp(`file:${folder}/server.db`)
  })
  afterAll(async () => {
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function connect() {
    const { client, key } = await app.newWorkspace()
    await client.create('/components', { name: 'Support' })
    const project = mkdtempSync(join(folder, 'project-'))
    const file = join(project, 'answer.md')
    writeFileSync(file, ANSWER)
    const run = (...args: string[]) =>
      touchstone(['prompts', ...args, '--component', 'Support'], { url: app.url, key, folder: project })
    const data = async (...args: string[]) => {
      const { code, output, errors } = await run(...args, '--json')
      expect([code, errors]).toEqual([0, ''])
      return JSON.parse(output)
    }
    const prompt = async () => {
      const [component] = await client.list('/components')
      const prompts = `/components/${component?.id}/prompts`
      const [newest] = await client.list(prompts)
      return { client, path: `${prompts}/${newest?.id}` }
    }
    return { run, data, file, project, prompt }
  }

  it('push saves a version of each file once, and moves the label to it', async () => {
    const { run, data, file, project } = await connect()
    const [first] = await data('push', file, '--label', 'staging')
    expect(first).toEqual({ file, name: 'answer', version: 1, result: 'created', labels: ['staging'] })
    expect(await data('push', file, '--label', 'staging')).toEqual([{ ...first, result: 'unchanged' }])

    writeFileSync(file, ANSWER.replace('Short.', 'Long.'))
    const other = join(project, 'other.md')
    writeFileSync(other, '# user\nHello')
    expect(await data('push', file, other)).toMatchObject([
      { name: 'answer', version: 2, result: 'created', labels: [] },
      { name: 'other', version: 1, result: 'created' },
    ])
    expect((await run('push', file)).output).toContain(`\n${file}\tanswer\t2\tunchanged\t[]\n`)
    expect((await data('list')).map(({ name }: { name: string }) => name)).toEqual(['other', 'answer'])
  })

  it('push saves nothing if a file is invalid, or two are the same prompt', async () => {
    const { run, data, file, project } = await connect()
    const bad = join(project, 'bad.md')
    writeFileSync(bad, 'no heading')
    expect(await run('push', file, bad)).toMatchObject({ code: 2, errors: expect.stringContaining('is in no message') })
    expect(await run('push', file, file)).toMatchObject({ code: 2, errors: expect.stringContaining('both the prompt') })
    expect(await data('list')).toEqual([])
  })

  it('pull writes files that push leaves unchanged, of the newest version or of a label', async () => {
    const { run, data, file, project } = await connect()
    const nested = join(project, 'nested.md')
    writeFileSync(nested, ANSWER.replace('name: answer', 'name: team/answer'))
    await data('push', file, nested, '--label', 'production')
    writeFileSync(file, ANSWER.replace('Short.', 'Long.'))
    await data('push', file)

    const target = join(project, 'pulled')
    const written = await data('pull', '--folder', target)
    expect(written.map(({ name, version }: { name: string; version: number }) => [name, version])).toEqual([
      ['team/answer', 1],
      ['answer', 2],
    ])
    const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
    expect(paths).toEqual([join(target, 'answer.md'), join(target, 'team/answer.md')])
    expect(await data('push', ...paths)).toMatchObject([{ result: 'unchanged' }, { result: 'unchanged' }])

    expect(await data('pull', 'answer', '--label', 'production', '--folder', target)).toMatchObject([{ version: 1 }])
    expect(readFileSync(join(target, 'answer.md'), 'utf8')).toContain('Short.')
    expect(await run('pull', '--label', 'unknown', '--folder', target)).toMatchObject({
      code: 0,
      output: 'FILE\tNAME\tVERSION\n',
      errors:
        'team/answer has no label unknown, so no file was written.\nanswer has no label unknown, so no file was written.\n',
    })
    expect(await run('pull', 'nothing')).toMatchObject({ code: 4 })
  })

  it('pull writes prompts to different files whose names would be the same file on some systems, and says so', async () => {
    const { run, data, project } = await connect()
    const names = ['answer', 'Answer', 'ANSWER', 'con', 'team/Nul.x', 'a', 'a.md/b']
    const pushed = names.map((name, place) => {
      const file = join(project, `${place}.md`)
      writeFileSync(file, `---\nname: ${name}\n---\n\n# user\n\nThis is ${name}.\n`)
      return file
    })
    await data('push', ...pushed)
    const pull = (...chosen: string[]) => run('pull', ...chosen, '--folder', join(project, 'pulled'))
    const { code, errors } = await pull()
    const written = readdirSync(join(project, 'pulled'), { recursive: true, withFileTypes: true })
    const files = written.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const texts = files.map((file) => readFileSync(file, 'utf8').match(/This is (.*)\./)?.[1])
    expect([code, texts.sort()]).toEqual([0, [...names].sort()])
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length)
    const paths = files.map((file) => file.slice(join(project, 'pulled/').length)).sort()
    expect(paths).toEqual(
      ['ANSWER~3.md', 'Answer~2.md', 'a.md', 'a.md~2/b.md', 'answer.md', 'con~.md', 'team/Nul~.x.md'].sort(),
    )
    expect(errors).toContain(
      `Answer is written to ${join(project, 'pulled/Answer~2.md')}, because its file would be that`,
    )
    expect(errors).toContain('because Windows has no file named con.')
    // The same file, whichever others are pulled; and pushed again, it is the same prompt.
    expect((await pull('Answer')).output).toContain('Answer~2.md')
    expect(await data('push', ...files)).toEqual(names.map(() => expect.objectContaining({ result: 'unchanged' })))
  })

  it('pull writes nothing outside of its folder', async () => {
    const { run, data, file, project } = await connect()
    writeFileSync(file, ANSWER.replace('name: answer', 'name: a/../../../escaped'))
    await data('push', file)
    const target = join(project, 'pulled')
    mkdirSync(target)
    expect(await run('pull', '--folder', target)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('no name of a file'),
    })
    expect(readdirSync(project).sort()).toEqual(['answer.md', 'pulled'])
  })

  it('label set takes evidence, and reports the message of the server if the move is rejected', async () => {
    const { run, data, file } = await connect()
    await data('push', file)
    const id = '00000000-0000-7000-8000-000000000000'
    for (const evidence of [id, `${id}..${id}`])
      expect(await data('label', 'set', 'answer', 'production', '1', '--evidence', evidence)).toMatchObject({
        change: 1,
      })
    expect(await run('label', 'set', 'answer', 'production', '1', '--evidence', 'newest')).toMatchObject({
      code: expect.any(Number),
      errors: expect.stringContaining('must be the id of a decision, or the ids of two runs as BASELINE..CANDIDATE'),
    })
  })

  it('diff, label set and rollback report what changes', async () => {
    const { run, data, file } = await connect()
    await data('push', file)
    writeFileSync(file, ANSWER.replace('Short.', 'Long.').replace('0.2', '0.5'))
    await data('push', file)
    const { code, output } = await run('diff', 'answer', '1', '2')
    expect([code, output]).toEqual([
      0,
      '  message 1, system:\n- Short.\n+ Long.\n- parameters.temperature: 0.2\n+ parameters.temperature: 0.5\n',
    ])
    expect(await data('diff', 'answer', '1', '2')).toMatchObject({ from: 1, to: 2 })
    expect(await data('label', 'set', 'answer', 'production', '1')).toMatchObject({ change: 1 })
    const moved = await data('label', 'set', 'answer', 'production', '2', '--note', 'better')
    expect(moved).toMatchObject({ name: 'production', change: 2, splits: [{ version: 2, weight: 100 }] })
    expect(await data('rollback', 'answer', 'production')).toMatchObject({ splits: [{ version: 1, weight: 100 }] })
    expect(await run('label', 'set', 'answer', 'production', '9')).toMatchObject({
      code: 2,
      output: '',
      errors: expect.stringContaining('Prompt answer has no version 9; its newest number is 2'),
    })
    expect((await run('diff', 'answer', '1', '1')).errors).toBe('Versions 1 and 1 of answer have the same content.\n')
    expect(await run('diff', 'answer', '1', '9')).toMatchObject({ code: 4 })
    expect(await run('rollback', 'nothing', 'production')).toMatchObject({
      code: 4,
      errors: expect.stringContaining('The component has no prompt named "nothing".'),
    })
  })

  it('label set gives shares to several versions, and is rejected if another change came first', async () => {
    const { run, data, file } = await connect()
    await data('push', file)
    writeFileSync(file, ANSWER.replace('Short.', 'Long.'))
    await data('push', file, '--note', 'asks for the number')
    const canary = await data('label', 'set', 'answer', 'production', '1=90', '2=10', '--if-change', '0')
    expect(canary).toMatchObject({
      splits: [
        { version: 1, weight: 90 },
        { version: 2, weight: 10 },
      ],
    })
    expect(await data('label', 'list', 'answer')).toMatchObject([{ name: 'production', change: 1 }])
    await data('label', 'set', 'answer', 'production', '2', '--note', 'better')
    expect((await run('label', 'history', 'answer', 'production')).output).toMatch(
      /^CHANGE\tKIND\tSPLITS\tNOTE\tCHANGED AT\n2\tmoved\t\[\{"version":2,"weight":100\}\]\tbetter\t/,
    )
    for (const [versions, code, message] of [
      [['1', '--if-change', '1'], 1, 'Label production is not at change 1: it is at change 2'],
      [['1=90', '2'], 2, '"2" is not a version with its share. Pass the number of one version, such as 12, or shares'],
      [['1=90', '2=20'], 2, 'The weights of the splits must sum to 100; they sum to 110'],
      [['v2'], 2, '"v2" is not a version with its share'],
    ] as const)
      expect(await run('label', 'set', 'answer', 'production', ...versions)).toMatchObject({
        code,
        errors: expect.stringContaining(message),
      })
    expect(await run('label', 'set', 'answer', 'production')).toMatchObject({ code: 2 })
    expect((await run('label', 'set', '--help')).output).toMatch(/answer production 11=90 12=10/)
  })

  it('push prefers the note of the command line, and reports what was saved before a file was rejected', async () => {
    const { run, data, file, project, prompt } = await connect()
    await data('push', file, '--note', 'of this commit')
    const { client, path } = await prompt()
    expect((await client.get(`${path}/versions/1`)).body).toMatchObject({ note: 'of this commit' })
    const both = join(project, 'both.md')
    writeFileSync(both, '# placeholder a\n\n# user\n{{a}}')
    writeFileSync(file, ANSWER.replace('Short.', 'Long.'))
    expect(await run('push', file, both)).toMatchObject({
      code: 2,
      output: expect.stringContaining('answer\t2\tcreated'),
      errors: expect.stringContaining('a is both a variable and a placeholder of the prompt; rename one of them'),
    })
  })
})

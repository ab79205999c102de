/** Prompts for agents: what they read, and what they can and cannot change. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { move, saveTexts, seedPrompt } from '../prompts/seed-prompt.ts'
import { seedPromptTrials } from '../trials/seed-trial.ts'
import { connectAgent } from './mcp-client.ts'

const LOOKUP = { type: 'function', function: { name: 'look_up_order', description: 'x'.repeat(6_000) } }

describeEachEngine('prompts for agents', (app) => {
  async function agentIn(workspaceId: string) {
    const { body } = await app()
      .asPerson(await app().newPerson([{ workspaceId, role: 'admin' }]), workspaceId)
      .post('/api-keys', { name: 'agent', role: 'editor' })
    return connectAgent(app().url, String(body.key))
  }

  async function seed() {
    const prompt = await seedPrompt(app())
    const agent = await agentIn(prompt.workspaceId)
    return { prompt, agent, at: { component: 'Support', prompt: 'answer' } }
  }

  it('are listed with what their labels serve', async () => {
    const { prompt, agent } = await seed()
    await saveTexts(prompt, 2)
    await move(prompt, 'production', [
      [1, 90],
      [2, 10],
    ])
    await prompt.client.create(`/components/${prompt.componentId}/prompts`, { name: 'other' })
    const splits = [
      { version: 1, weight: 90 },
      { version: 2, weight: 10 },
    ]
    const first = await agent.call('list_prompts', { component: 'Support', limit: 1 })
    expect(first).toMatchObject({ rows: [{ name: 'other', labels: [] }], hasMore: true })
    const next = await agent.call('list_prompts', { component: 'Support', cursor: first.nextCursor })
    expect(next).toMatchObject({ rows: [{ name: 'answer', labels: [{ name: 'production', splits }] }], hasMore: false })
  })

  it('have their versions, the content of one of them, and the difference of two', async () => {
    const { prompt, agent, at } = await seed()
    await saveTexts(prompt, 3)
    await move(prompt, 'staging', 2)
    const versions = await agent.call('get_prompt', { ...at, limit: 2 })
    expect(versions).toMatchObject({
      id: prompt.promptId,
      name: 'answer',
      labels: [{ name: 'staging', splits: [{ version: 2, weight: 100 }], protection: { minRole: 'editor' } }],
      rows: [
        { number: 3, labels: [], variables: ['name'] },
        { number: 2, labels: ['staging'] },
      ],
    })
    const { rows } = await agent.call('get_prompt', { ...at, cursor: versions.nextCursor })
    expect(rows.map(({ number }) => number)).toEqual([1])

    expect(await agent.call('get_prompt', { ...at, version: 2 })).toMatchObject({
      version: { number: 2, labels: ['staging'], variables: ['name'], placeholders: [] },
      rows: [{ index: 0, role: 'user', content: { text: 'Text 2 for {{name}}', length: 19 } }],
    })

    await agent.call('save_prompt_version', { ...at, basedOn: 3, model: 'gpt-5-mini' })
    const { text, structured } = await agent.read('get_prompt', { ...at, version: 4, compareTo: 1 })
    expect(structured).toMatchObject({
      diff: { from: 1, to: 4, parameters: [{ name: 'model', before: 'null', after: '"gpt-5-mini"' }] },
      rows: [{ change: 'changed', from: 0, to: 0, role: 'user' }],
    })
    expect(text).toContain('{"change":"removed","text":"1"},{"change":"added","text":"3"}')
  })

  it('have variables with any name, also in a trial: __proto__ and constructor are names like others', async () => {
    const seeded = await seedPromptTrials(app(), { items: [{ input: '{"__proto__": "Halden", "b": "Why?"}' }] })
    const agent = await agentIn(seeded.workspaceId)
    const at = { component: seeded.componentId, prompt: seeded.promptId }
    const messages = [{ role: 'user', content: '{{__proto__}} {{constructor}} {{hasOwnProperty}}' }]
    const saved = await agent.call('save_prompt_version', { ...at, messages, provider: 'models' })
    expect(saved.variables).toEqual(['__proto__', 'constructor', 'hasOwnProperty'])
    const target = { type: 'prompt', promptId: seeded.promptId, version: saved.number }
    // Not as a literal, in which it would be the prototype.
    const variables: unknown = JSON.parse('{"__proto__": "input.__proto__", "constructor": {"value": "c"}}')
    const dryRun = (plan: object) =>
      agent.call('start_trial', { ...at, prompt: undefined, dataset: 'Questions', dryRun: true, plan })
    const plan = { variants: [{ name: 'a', target }], variables }
    expect((await dryRun(plan)).missing).toEqual([{ variable: 'hasOwnProperty', items: 1, of: 1 }])
    expect((await dryRun({ ...plan, variables: {} })).missing).toEqual([
      { variable: 'constructor', items: 1, of: 1 },
      { variable: 'hasOwnProperty', items: 1, of: 1 },
    ])
    const evaluation: unknown = JSON.parse('{"__proto__": {"a": 1}}')
    await expect(dryRun({ ...plan, evaluation })).rejects.toThrow('forbidden key __proto__')
  })

  it('are read to the end, also where one result has no room for them', async () => {
    const { agent, at } = await seed()
    const long = Array.from({ length: 3_000 }, (_, place) => `word ${place}`).join(' ')
    const content = { messages: [{ role: 'system', content: long }, { placeholder: 'history' }], tools: [LOOKUP] }
    await agent.call('save_prompt_version', { ...at, ...content })
    const version = { ...at, version: 1 }
    const readOn = async (part: (result: Record<string, unknown>) => unknown, more: object) => {
      let text = ''
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const found: { text?: string; nextOffset?: number } = Object(
          part(await agent.call('get_prompt', { ...version, ...more, textOffset: offset })),
        )
        text += found.text
        offset = found.nextOffset
      }
      return text
    }
    expect(await readOn(({ rows }) => Object(rows)[0].content, { message: 0 })).toBe(long)
    const tools = await readOn(({ version: found }) => Object(found).tools, {})
    expect(JSON.parse(tools)).toEqual([LOOKUP])
    expect((await agent.call('get_prompt', { ...version, message: 1 })).rows).toEqual([
      { index: 1, placeholder: 'history' },
    ])
  })

  it('are saved as versions: once for the same content, with the fields of an earlier version, and as new prompts', async () => {
    const { prompt, agent, at } = await seed()
    const messages = [{ role: 'user', content: 'Hello {{name}}' }]
    const first = { ...at, messages, parameters: { temperature: 0.2 }, note: 'first' }
    expect(await agent.call('save_prompt_version', first)).toMatchObject({
      number: 1,
      isNew: true,
      variables: ['name'],
    })
    expect(await agent.call('save_prompt_version', first)).toMatchObject({ number: 1, isNew: false })
    expect(
      await agent.call('save_prompt_version', { ...at, basedOn: 1, model: 'gpt-5', labels: ['staging'] }),
    ).toMatchObject({ number: 2, labels: ['staging'] })
    const { body } = await prompt.client.get(`${prompt.path}/versions/2`)
    expect(body.content).toMatchObject({ messages, model: 'gpt-5', parameters: { temperature: 0.2 } })

    const named = { component: 'Support', name: 'team/new', description: 'Greets', messages }
    expect(await agent.call('save_prompt_version', named)).toMatchObject({ number: 1, isNew: true })
    expect(await agent.fail('save_prompt_version', named)).toMatch(
      /^The component has a prompt team\/new already; save/,
    )
  })

  it('are not changed by calls that are rejected, and the message names the remedy', async () => {
    const { prompt, agent, at } = await seed()
    await saveTexts(prompt, 1)
    const messages = [{ role: 'user', content: 'Hello' }]
    const admin = await app().newPerson([{ workspaceId: prompt.workspaceId, role: 'admin' }])
    await app()
      .asPerson(admin, prompt.workspaceId)
      .send('PUT', `${prompt.path}/labels/production/protection`, { body: { minRole: 'admin' } })
    const save = (args: object) => agent.fail('save_prompt_version', { component: 'Support', ...args })
    expect(await save({ prompt: 'answer', messages, labels: ['production'] })).toMatch(
      /^Label production is protected: .* in a session; yours is editor\. Do not try other tools/,
    )
    expect(await save({ messages })).toBe('Either prompt or name is required.')
    expect(await save({ prompt: 'answer' })).toBe('Either messages or basedOn is required.')
    expect(await save({ name: 'b', basedOn: 1 })).toBe('The field basedOn needs prompt.')
    expect(await save({ prompt: 'answer', description: 'b', messages })).toBe('The field description needs name.')
    expect(await save({ prompt: 'answer', basedOn: 9 })).toMatch(/^Prompt answer has no version 9\./)
    expect(await save({ prompt: 'none', messages })).toMatch(/^Prompt named "none" not found\. Names and ids/)
    expect(await save({ prompt: 'answer', messages: [{ role: 'tool', content: 'a' }] })).toMatch(/role/)
    expect((await prompt.client.get(`${prompt.path}/versions`)).body.data).toHaveLength(1)

    const both = [{ placeholder: 'a' }, { role: 'user', content: '{{a}}' }]
    expect(await save({ name: 'c', messages: both })).toMatch(
      /^a is both a variable and a placeholder.*\. The prompt c was created without a version: call again with prompt\.$/,
    )
    const get = (args: object) => agent.fail('get_prompt', { ...at, ...args })
    expect(await get({ compareTo: 1 })).toBe('The fields compareTo, message and textOffset need version.')
    expect(await get({ version: 1, message: 1 })).toBe('Version 1 has 1 messages; their index begins at 0.')
    expect(await get({ version: 1, cursor: 'x' })).toMatch(/^The field cursor must be the nextCursor/)
    expect(await get({ version: 2 })).toMatch(/^Prompt answer has no version 2\./)
  })
})

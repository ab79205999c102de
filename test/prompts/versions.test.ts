// @module-tag sql
import { describe, expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rounds } from '../harness/stage.ts'
import { contentOf, move, saveText, saveTexts, seedPrompt } from './seed-prompt.ts'

const CONTENT = {
  messages: [
    { role: 'system', content: 'You answer for {{company}}. {{ question }} {{company}} {{#if}} {{1}} {{a b}}' },
    { placeholder: 'history' },
    { role: 'user', content: '{{question}}' },
  ],
  provider: 'my-openai',
  model: 'gpt-5-mini',
  parameters: { temperature: 0.2 },
  tools: [{ name: 'find', parameters: { b: 1, a: 2 } }],
  responseFormat: null,
}

describeEachEngine('versions of a prompt', (app) => {
  it('POST 201 saves a version with its variables and labels, GET 200 returns what was sent', async () => {
    const { client, path, promptId, workspaceId } = await seedPrompt(app())
    const editor = await browserWith(app(), workspaceId, 'editor')
    const note = 'asks for the invoice number first'
    const { status, body } = await editor.post(`${path}/versions`, { content: CONTENT, note, labels: ['staging'] })
    expect(status).toBe(201)
    expect(body).toEqual({
      promptId,
      number: 1,
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      variables: ['company', 'question'],
      placeholders: ['history'],
      labels: ['staging'],
      source: { kind: 'person', id: null },
      createdBy: NEW_ID,
      createdAt: TIMESTAMP,
      note,
      content: CONTENT,
    })
    expect((await client.get(`${path}/versions/1`)).text).toBe(JSON.stringify(body))
    const { content: _, ...row } = body
    expect((await client.get(`${path}/versions`)).body).toEqual({ data: [row], nextCursor: null })
  })

  it('the same content again is the same version, with keys in any order and defaults omitted or not', async () => {
    const { client, path } = await seedPrompt(app())
    const save = (content: object) => client.post(`${path}/versions`, { content })
    const first = await save({ messages: [{ role: 'user', content: 'a' }], parameters: { top_p: 1, temperature: 0 } })
    const second = await save({ messages: [{ role: 'user', content: 'b' }] })
    const again = await save({
      tools: [],
      model: null,
      parameters: { temperature: 0, top_p: 1 },
      messages: [{ content: 'a', role: 'user' }],
    })
    expect([first.status, second.status, again.status]).toEqual([201, 201, 200])
    expect(again.text).toBe(first.text)
  })

  it('saves at once get the numbers 1 to n without gap, and the same content at once is one version', {
    tags: 'sized',
  }, async () => {
    const prompt = await seedPrompt(app())
    const count = rounds({ test: 30, deep: 200, soak: 200 })
    const places = Array.from({ length: count }, (_, place) => place)
    const numbers = await Promise.all(places.map((place) => saveText(prompt, `Text ${place}`)))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(places.map((place) => place + 1))
    const same = await Promise.all(places.map(() => saveText(prompt, 'The same text')))
    expect(new Set(same)).toEqual(new Set([count + 1]))
  })

  it('lists page by page, newest first, without gaps between pages', async () => {
    const prompt = await seedPrompt(app())
    const { client, path } = prompt
    await saveTexts(prompt, 5)
    const numbers: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await client.get(`${path}/versions?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      numbers.push(...[body.data].flat().map((row) => Object(row).number))
      cursor = body.nextCursor
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    for (const query of ['limit=0', 'cursor=x', 'offset=1', `cursor=${btoa('["",1e300]')}`])
      expectError(await client.get(`${path}/versions?${query}`), 400)
  })

  it('DELETE 204 deletes a version, whose number is never used again; 409 names the labels that point to it', async () => {
    const prompt = await seedPrompt(app())
    const { client, path } = prompt
    await saveTexts(prompt, 3)
    await move(prompt, 'production', [
      [3, 100],
      [2, 0],
    ])
    await move(prompt, 'staging', 2)
    expectError(
      await client.delete(`${path}/versions/2`),
      409,
      'Version 2 is served by production, staging; move or delete these labels first',
    )
    await move(prompt, 'production', 1)
    expect((await client.delete(`${path}/versions/3`)).status).toBe(204)
    for (const request of [client.get(`${path}/versions/3`), client.delete(`${path}/versions/3`)])
      expectError(await request, 404, 'Prompt answer has no version 3.')
    expectError(await move(prompt, 'staging', 3), 400, 'Prompt answer has no version 3; its newest number is 3')
    expect(await saveText(prompt, 'Text 3 for {{name}}')).toBe(4)
  })

  it('a save with a label that may not be moved saves nothing', async () => {
    const prompt = await seedPrompt(app())
    const { client, path, workspaceId } = prompt
    const admin = await browserWith(app(), workspaceId, 'admin')
    await admin.send('PUT', `${path}/labels/production/protection`, { body: { minRole: 'admin' } })
    const body = { content: contentOf('a'), labels: ['staging', 'production'] }
    expectError(
      await client.post(`${path}/versions`, body),
      403,
      'Label production is protected: changing it requires the role admin in a session; yours is editor',
    )
    expect((await client.get(`${path}/versions`)).body).toEqual({ data: [], nextCursor: null })
    expect(await client.list(`${path}/labels`)).toMatchObject([{ name: 'production', splits: [] }])
    const { status, body: saved } = await admin.post(`${path}/versions`, body)
    expect([status, saved.number, saved.labels]).toEqual([201, 1, ['production', 'staging']])
  })

  it('rejects content that is too large, has names twice, or is no prompt, and says what to do', async () => {
    const { client, path } = await seedPrompt(app())
    const save = (content: object) => client.post(`${path}/versions`, { content })
    const half = 'x'.repeat(131_072)
    const large = { messages: [half, half].map((content) => ({ role: 'user', content })) }
    expectError(await save(large), 413, /^The content has \d+ bytes and a version at most 262144; shorten/)
    const doubled = { messages: [{ role: 'user', content: '{{history}}' }, { placeholder: 'history' }] }
    expectError(
      await save(doubled),
      400,
      'history is both a variable and a placeholder of the prompt; rename one of them',
    )
    for (const wrong of [
      { messages: [] },
      { messages: Array.from({ length: 201 }, () => ({ role: 'user', content: '' })) },
      { messages: [{ role: 'robot', content: '' }] },
      { messages: [{ placeholder: 'not a name' }] },
      { messages: [{ role: 'user', content: 'a' }], topic: 'unknown' },
      {},
    ])
      expectError(await save(wrong), 400)
    expectError(await client.post(`${path}/versions`, { content: contentOf('a'), gate: {} }), 400, /gate/)
    expectError(await client.post(`${path}/versions`, { content: contentOf('a'), labels: ['Not a label'] }), 400)
    for (const number of ['0', 'x', '1e3', '9999999999'])
      expectError(await client.get(`${path}/versions/${number}`), 400)
  })

  it('a version has up to 256 KiB and comes back as it was sent', async () => {
    const { client, path } = await seedPrompt(app())
    const content = { ...contentOf('ä'.repeat(131_000)), provider: null, model: null, parameters: {}, tools: [] }
    const { status, body } = await client.post(`${path}/versions`, { content: { ...content, responseFormat: null } })
    expect(status).toBe(201)
    expect((await client.get(`${path}/versions/1`)).body.content).toEqual(body.content)
  })

  describe('GET …/diff', () => {
    it('compares messages by words, parameters before and after, and the names of variables', async () => {
      const prompt = await seedPrompt(app())
      const { client, path } = prompt
      await client.post(`${path}/versions`, {
        content: { ...CONTENT, messages: [...CONTENT.messages, { role: 'assistant', content: 'Bye.' }] },
      })
      const [system, , question] = CONTENT.messages
      const messages = [
        { role: 'system', content: 'You reply for {{firm}}. {{ question }} {{company}} {{#if}} {{1}} {{a b}}' },
        { placeholder: 'turns' },
        question,
      ]
      await client.post(`${path}/versions`, {
        content: { ...CONTENT, messages, model: null, parameters: { temperature: 0.2, top_p: 1 } },
      })
      const { status, body } = await client.get(`${path}/diff?from=1&to=2`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        from: 1,
        to: 2,
        messages: [
          { change: 'changed', from: 0, to: 0, before: system, after: messages[0] },
          { change: 'removed', from: 1, to: null, before: { placeholder: 'history' }, after: null, hunks: [] },
          { change: 'added', from: null, to: 1, before: null, after: { placeholder: 'turns' }, hunks: [] },
          { change: 'same', from: 2, to: 2, hunks: [] },
          { change: 'removed', from: 3, to: null },
        ],
        parameters: [
          { name: 'model', before: 'gpt-5-mini', after: null },
          { name: 'parameters.top_p', before: null, after: 1 },
        ],
        variables: { added: ['firm'], removed: [] },
        placeholders: { added: ['turns'], removed: ['history'] },
      })
      expect(Object([body.messages].flat()[0]).hunks.slice(0, 6)).toEqual([
        { change: 'same', text: 'You ' },
        { change: 'removed', text: 'answer' },
        { change: 'added', text: 'reply' },
        { change: 'same', text: ' for {{' },
        { change: 'removed', text: 'company' },
        { change: 'added', text: 'firm' },
      ])
    })

    it('rejects a version of another prompt, and a request without two numbers', async () => {
      const prompt = await seedPrompt(app())
      const { client, path } = prompt
      await saveTexts(prompt, 2)
      expectError(await client.get(`${path}/diff?from=1&to=3`), 404, 'Prompt answer has no version 3.')
      for (const query of ['', '?from=1', '?from=1&to=x', '?from=1&to=2&with=3'])
        expectError(await client.get(`${path}/diff${query}`), 400)
    })
  })
})

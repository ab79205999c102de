// @module-tag sql
import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { contentOf, move, type SeededPrompt, saveTexts, seedPrompt } from './seed-prompt.ts'

describeEachEngine('GET /components/{componentId}/prompt-changes', (app) => {
  async function changesOf({ client, componentId }: SeededPrompt, query = '') {
    const { status, text, body } = await client.get(`/components/${componentId}/prompt-changes${query}`)
    expect(status, text).toBe(200)
    return { data: [body.data].flat().map((row) => Object(row)), nextCursor: body.nextCursor }
  }

  it('200 lists saved versions and changes of labels of all prompts, newest first', async () => {
    const prompt = await seedPrompt(app())
    await prompt.client.post(`${prompt.path}/versions`, {
      content: contentOf('one'),
      note: 'first',
      labels: ['production'],
    })
    const other = await prompt.client.create(`/components/${prompt.componentId}/prompts`, { name: 'other' })
    await prompt.client.post(`/components/${prompt.componentId}/prompts/${other}/versions`, {
      content: contentOf('one'),
    })
    await prompt.client.post(`${prompt.path}/versions`, { content: contentOf('two') })
    await move(prompt, 'production', [
      [1, 90],
      [2, 10],
    ])
    await prompt.client.post(`${prompt.path}/labels/production/rollback`, { note: 'slow' })
    const { data, nextCursor } = await changesOf(prompt)
    expect(nextCursor).toBeNull()
    const user = { id: NEW_ID, name: expect.any(String) }
    const answer = { id: prompt.promptId, name: 'answer' }
    const saved = { label: null, change: null, undoes: null, before: null, after: null, evidence: [] }
    const both = [
      { version: 1, weight: 90 },
      { version: 2, weight: 10 },
    ]
    const moved = { at: TIMESTAMP, user, prompt: answer, version: null, isDeleted: false, evidence: [] }
    const first = [{ version: 1, weight: 100 }]
    const label = 'production'
    expect(data).toEqual([
      { ...moved, kind: 'rolledBack', note: 'slow', label, change: 3, undoes: 2, before: both, after: first },
      { ...moved, kind: 'moved', note: null, label, change: 2, undoes: null, before: first, after: both },
      { kind: 'saved', at: TIMESTAMP, user, prompt: answer, note: null, version: 2, isDeleted: false, ...saved },
      {
        ...saved,
        kind: 'saved',
        at: TIMESTAMP,
        user,
        prompt: { id: other, name: 'other' },
        note: null,
        version: 1,
        isDeleted: false,
      },
      { ...moved, kind: 'moved', note: 'first', label, change: 1, undoes: null, before: null, after: first },
      { kind: 'saved', at: TIMESTAMP, user, prompt: answer, note: 'first', version: 1, isDeleted: false, ...saved },
    ])
  })

  it('200 continues pages without gaps and without a change twice, also within one millisecond', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 7)
    for (const version of [1, 2, 3, 4, 5]) await move(prompt, 'production', version)
    const all = (await changesOf(prompt)).data
    expect(all).toHaveLength(12)
    for (const limit of [1, 5, 11]) {
      const found: unknown[] = []
      let cursor: unknown = ''
      while (cursor !== null) {
        const page = await changesOf(prompt, `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
        found.push(...page.data)
        cursor = page.nextCursor
      }
      expect(found).toEqual(all)
    }
  })

  it('200 marks a version that was deleted later, and lists nothing of a deleted prompt', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 2)
    await prompt.client.send('DELETE', `${prompt.path}/versions/1`)
    const { data } = await changesOf(prompt)
    expect(data.map(({ version, isDeleted }) => [version, isDeleted])).toEqual([
      [2, false],
      [1, true],
    ])
    await prompt.client.send('DELETE', prompt.path)
    expect((await changesOf(prompt)).data).toEqual([])
  })

  it('400 for a cursor that is not one of the list; 404 for a component that does not exist', async () => {
    const { client, componentId } = await seedPrompt(app())
    for (const values of [
      ['2026-99-01T00:00:00.000Z', componentId, 0],
      ['2026-01-01T00:00:00.000Z', 'x', 0],
      ['2026-01-01T00:00:00.000Z', componentId, 1e20],
    ]) {
      const cursor = Buffer.from(JSON.stringify(['', ...values])).toString('base64url')
      expectError(await client.get(`/components/${componentId}/prompt-changes?cursor=${cursor}`), 400, /cursor/)
    }
    expectError(await client.get(`/components/${crypto.randomUUID()}/prompt-changes`), 404, /Component/)
  })
})

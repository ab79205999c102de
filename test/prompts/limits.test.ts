// @module-tag sql
/** The limits of prompts at their edges: the last that is accepted, and the first that is not. */
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { contentOf, move, type SeededPrompt, saveTexts, seedPrompt } from './seed-prompt.ts'

const VERSIONS_MAX = 10_000
const BYTES_MAX = 262_144
/** Of a row that SQLite and PostgreSQL take in one statement. */
const ROWS_PER_STATEMENT = 1_000

describeEachEngine('limits of a prompt', (app) => {
  it('a version has 262,144 bytes and 200 messages, and not one more', async () => {
    const { client, path } = await seedPrompt(app())
    const save = (messages: object[]) => client.post(`${path}/versions`, { content: { messages } })
    const defaults = { provider: null, model: null, parameters: {}, tools: [], responseFormat: null }
    const bytesWith = (text: string) => Buffer.byteLength(JSON.stringify({ ...contentOf(text), ...defaults }))
    // In bytes, not in characters: each of these letters has two.
    const ofBytes = (bytes: number) => {
      const left = bytes - bytesWith('')
      return 'ä'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2)
    }
    expect(bytesWith(ofBytes(BYTES_MAX))).toBe(BYTES_MAX)
    expect((await save(contentOf(ofBytes(BYTES_MAX)).messages)).status).toBe(201)
    expectError(
      await save(contentOf(ofBytes(BYTES_MAX + 1)).messages),
      413,
      /^The content has 262145 bytes and a version at most 262144; shorten/,
    )
    const messages = (count: number) => Array.from({ length: count }, (_, place) => ({ placeholder: `p${place}` }))
    const full = await save(messages(200))
    expect([full.status, Object(full.body.placeholders).length]).toEqual([201, 200])
    expectError(await save(messages(201)), 400, /messages/)
    const tools = (count: number) => Array.from({ length: count }, (_, place) => ({ name: `t${place}` }))
    const saveTools = (count: number) =>
      client.post(`${path}/versions`, { content: { ...contentOf('a'), tools: tools(count) } })
    expect((await saveTools(128)).status).toBe(201)
    expectError(await saveTools(129), 400, /tools/)
  })

  it('names have 128, 64 and 64 characters, and a label 10 versions', async () => {
    const prompt = await seedPrompt(app())
    const { client, componentId, path } = prompt
    const create = (name: string) => client.post(`/components/${componentId}/prompts`, { name })
    expect((await create(`p${'/'.repeat(127)}`)).status).toBe(201)
    expectError(await create(`p${'/'.repeat(128)}`), 400, /name/)
    const name = `_${'v'.repeat(63)}`
    const named = await client.post(`${path}/versions`, { content: contentOf(`{{${name}}} {{${name}v}}`) })
    expect(named.body.variables).toEqual([name])
    const saved = await client.post(`${path}/versions`, { content: { messages: [{ placeholder: `${name}v` }] } })
    expectError(saved, 400, 'The field content.messages[0].placeholder has an invalid format')
    expect((await move(prompt, `l${'-'.repeat(63)}`, 1)).status).toBe(200)
    expectError(await move(prompt, `l${'-'.repeat(64)}`, 1), 400, /label/)
    for (let number = 2; number <= 11; number += 1)
      await client.post(`${path}/versions`, { content: contentOf(`Text ${number}`) })
    const shares = (count: number): [number, number][] =>
      Array.from({ length: count }, (_, place) => [place + 1, place === 0 ? 100 : 0])
    expect((await move(prompt, 'production', shares(10))).status).toBe(200)
    expectError(await move(prompt, 'production', shares(11)), 400, /at most 10/)
  })

  it('a prompt has 10,000 versions; deleted ones do not count, and their numbers are not used again', {
    tags: 'deep',
  }, async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 1)
    await insertCopies(prompt, VERSIONS_MAX - 1)
    const save = (text: string) => prompt.client.post(`${prompt.path}/versions`, { content: contentOf(text) })
    expect((await save('the last')).body).toMatchObject({ number: VERSIONS_MAX })
    const message = 'Prompt answer has 10000 versions, which is the limit; delete some that no label needs'
    expectError(await save('one more'), 409, message)
    // What is there is no new version.
    expect((await save('the last')).status).toBe(200)
    expect((await prompt.client.delete(`${prompt.path}/versions/7`)).status).toBe(204)
    expect((await save('one more')).body).toMatchObject({ number: VERSIONS_MAX + 1 })
    expectError(await save('two more'), 409, message)
    const { body } = await prompt.client.get(`${prompt.path}/versions?limit=2`)
    expect([body.data].flat().map((row) => Object(row).number)).toEqual([VERSIONS_MAX + 1, VERSIONS_MAX])
  })

  /** Copies of the first version, up to this number: as many requests would need minutes. */
  async function insertCopies({ workspaceId, promptId }: SeededPrompt, last: number): Promise<void> {
    await app().storage.transaction(async (tx) => {
      const first = await tx
        .selectFrom('prompt_versions')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('prompt_id', '=', promptId)
        .executeTakeFirstOrThrow()
      const copies = Array.from({ length: last - 1 }, (_, place) => ({
        ...first,
        number: place + 2,
        content_hash: `sha256:${place}`,
      }))
      for (let at = 0; at < copies.length; at += ROWS_PER_STATEMENT)
        await tx
          .insertInto('prompt_versions')
          .values(copies.slice(at, at + ROWS_PER_STATEMENT))
          .execute()
      await tx
        .updateTable('prompts')
        .set({ last_number: last })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', promptId)
        .execute()
    })
  }
})

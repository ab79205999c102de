// @module-tag deep
/** Programs that read prompts survive the server: those that run from memory, those that start from disk. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readClientSettings } from '../../packages/sdk/src/client-options.ts'
import { createHttpSender } from '../../packages/sdk/src/http-sender.ts'
import { PromptFolder } from '../../packages/sdk/src/prompts/prompt-folder.ts'
import { PromptResource } from '../../packages/sdk/src/resources/prompt-resource.ts'
import { ConnectionError, NotFoundError, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { makeFolder, SERVER_KEY, startServer } from '../harness/server-process.ts'

it('10,000 reads of a killed server fail nowhere, a deleted label is gone in one refresh, and a new process reads from disk', async () => {
  const { folder, remove } = makeFolder()
  const server = await startServer(`file:${join(folder, 'test.db')}`)
  try {
    const componentId = await server.client.create('/components', { name: 'Support' })
    const promptId = await server.client.create(`/components/${componentId}/prompts`, { name: 'answer' })
    const path = `/components/${componentId}/prompts/${promptId}`
    const content = { messages: [{ role: 'user', content: '{{question}}' }] }
    await server.client.post(`${path}/versions`, { content, labels: ['production', 'staging'] })

    const promptFolder = join(folder, 'prompts')
    const options = { apiKey: SERVER_KEY, baseUrl: server.url, promptFolder }
    const settings = readClientSettings(options, {})
    const { components } = new Touchstone(options)
    let nowMs = 0
    const prompts = new PromptResource(createHttpSender(settings), components, {
      folder: new PromptFolder({ folder: promptFolder, ...settings }),
      nowMs: () => nowMs,
    })
    const get = async (label: string) => {
      const prompt = await prompts.get('answer', { component: 'Support', label })
      await prompts.settled()
      return prompt
    }
    expect(await get('production')).toMatchObject({ version: 1, source: 'network' })
    expect(await get('staging')).toMatchObject({ version: 1, source: 'network' })
    expect(readdirSync(promptFolder)).toHaveLength(2)

    await server.client.delete(`${path}/labels/staging`)
    nowMs = 10_000
    expect(await get('staging')).toMatchObject({ version: 1, source: 'memory' })
    await expect(get('staging')).rejects.toThrow(NotFoundError)
    expect(readdirSync(promptFolder)).toHaveLength(1)

    await server.kill()
    nowMs = 20_000
    await get('production')
    for (let read = 0; read < 10_000; read += 1) {
      nowMs += 10
      const { version, source, isStale } = await get('production')
      expect([version, source, isStale]).toEqual([1, 'memory', true])
    }

    const started = new Touchstone(options)
    const prompt = await started.prompts.get('answer', { component: 'Support' })
    expect(prompt).toMatchObject({ version: 1, source: 'disk', isStale: true })
    expect(prompt.render({ question: 'Why?' })).toEqual([{ role: 'user', content: 'Why?' }])
    const gone = started.prompts.get('answer', { component: 'Support', label: 'staging', maxRetries: 0 })
    await expect(gone).rejects.toThrow(ConnectionError)
  } finally {
    await server.kill()
    remove()
  }
})

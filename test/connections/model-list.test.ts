import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('GET /models', (app) => {
  it('lists the models of all connections, for viewers and keys, and no other application’s', async () => {
    const { workspaceId, client } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const connections = [
      { name: 'mine', baseUrl: 'http://127.0.0.1:9/v1', models: ['small-chat', 'text-embedding-3-small'] },
      { name: 'google', kind: 'gemini', apiKey: 'k', models: ['gemini-3-flash'] },
      { name: 'openai', apiKey: 'k', models: ['gpt-5-mini'] },
      { name: 'empty', baseUrl: 'http://127.0.0.1:9/v1' },
    ]
    for (const connection of connections) await admin.create('/connections', connection)
    const expected = [
      { id: 'gpt-5-mini', name: 'gpt-5-mini', provider: 'openai', group: 'openai', judgeEligible: true },
      { id: 'gemini-3-flash', name: 'gemini-3-flash', provider: 'google', group: 'google', judgeEligible: true },
      { id: 'small-chat', name: 'small-chat', provider: 'mine', group: 'custom', judgeEligible: true },
      {
        id: 'text-embedding-3-small',
        name: 'text-embedding-3-small',
        provider: 'mine',
        group: 'custom',
        judgeEligible: false,
      },
    ]
    const { status, body } = await client.get('/models')
    expect({ status, body }).toEqual({ status: 200, body: { data: expected } })
    expect((await (await browserWith(app(), workspaceId, 'viewer')).get('/models')).body).toEqual(body)
    const other = await app().newWorkspace()
    expect((await other.client.get('/models')).body).toEqual({ data: [] })
    expectError(await app().withKey('tsk_unknown').get('/models'), 401)
  })
})

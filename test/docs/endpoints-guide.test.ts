import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { renderBody } from '../../src/endpoints/body-template.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { waitFor } from '../harness/wait-for.ts'
import { blocksOf, textOf } from './documents.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-guide-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describeEachEngine('the guide to endpoints', (app) => {
  let port = 0
  let service: ChildProcess

  beforeAll(async () => {
    const [program = ''] = blocksOf('endpoints', 'endpoints', 'ts')
    port = await freePort()
    const file = join(folder, `service-${port}.ts`)
    writeFileSync(file, program.replace('8080', String(port)))
    service = spawn(process.execPath, [file], { stdio: 'inherit' })
    await waitFor('the service of the guide', () => isOpen(port))
  })
  afterAll(async () => {
    service.kill()
    await once(service, 'exit')
  })

  it('shows a service, its endpoint and a test that work word for word', async () => {
    const [endpoint = '', body = '', result = ''] = jsonBlocks()
    const { workspaceId } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const id = await admin.create('/endpoints', JSON.parse(endpoint.replace('8080', String(port))))
    const tested = await admin.post(`/endpoints/${id}/test`, JSON.parse(body))
    const shown: Record<string, unknown> = JSON.parse(result)
    expect(shown['summary']).toMatch(/^staging returned 200 after \d+ ms$/)
    expect(tested.body).toEqual({
      ...shown,
      summary: expect.stringMatching(/^staging returned 200 after \d+ ms$/),
      durationMs: expect.any(Number),
    })
  })
})

it('the table of bodies shows what is sent', () => {
  const rows = [...textOf('endpoints').matchAll(/^\| `(\{.*\})` \| `(\{.*\})` \| `(\{.*\})` \|$/gm)]
  expect(rows).toHaveLength(3)
  for (const [, body = '', input = '', sent = ''] of rows) {
    expect(renderBody(JSON.parse(body), JSON.parse(input))).toEqual(JSON.parse(sent))
  }
})

function jsonBlocks(): string[] {
  return [...textOf('endpoints').matchAll(/```json\n(.*?)```/gs)].map(([, block = '']) => block)
}

function isOpen(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(undefined))
    socket.on('connect', () => socket.destroy())
  })
}

/** The provider that tests ask must itself be right, or they would prove nothing. */
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../harness/model-server.ts'
import { errorOf, QUESTION, startModelClient } from './start-model-client.ts'

it('lists its models', async () => {
  const server = await startModelServer()
  onTestFinished(() => server.close())
  const answer = await fetch(`${server.baseUrl}/models`)
  expect(await answer.json()).toMatchObject({ data: [{ id: 'judge-1' }] })
  expect((await fetch(`${server.url}/v2`)).status).toBe(404)
})

it('counts concurrent requests', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  let arrived = 0
  const { server, client } = await startModelClient({
    server: {
      answer: async () => {
        arrived += 1
        if (arrived === 3) open()
        await opened
        return { reason: '', score: 1 }
      },
    },
  })
  await Promise.all([1, 2, 3].map(() => client.complete(QUESTION)))
  await client.complete(QUESTION)
  expect(server.concurrentMax).toBe(3)
})

it('returns the same for the same request, in every format, and misbehaves as often as configured', async () => {
  const { server, client } = await startModelClient()
  const first = await client.complete(QUESTION)
  server.misbehave({ status: 500 }, 2)
  await errorOf(client.complete(QUESTION))
  await errorOf(client.complete(QUESTION))
  expect(await client.complete(QUESTION)).toEqual(first)
  expect(server.requests).toHaveLength(4)
})

it('leaves no connection open when it is closed, not even one that hangs', async () => {
  const server = await startModelServer({ misbehaviour: () => 'hang' })
  const asked = fetch(`${server.baseUrl}/models`).then(
    () => 'answered',
    () => 'broken off',
  )
  while (server.requests.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  await server.close()
  expect(await asked).toBe('broken off')
  expect(server.socketsOpen).toBe(0)
})

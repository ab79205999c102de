import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CitusCluster, createOnNodes, startCitus } from '../harness/citus-cluster.ts'
import { runSql } from '../harness/citus-stand-in.ts'
import { runInProcess } from '../harness/command.ts'
import { PASSWORD, startTestApp, type TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'

/** The tests of this file follow each other: a node is away, and comes back. */
describe('a node of Citus is killed', () => {
  let cluster: CitusCluster
  let url: string
  let app: TestApp
  let worker: TestApp | undefined
  const seeded = new Map<string, Awaited<ReturnType<typeof seed>>>()

  beforeAll(async () => {
    cluster = await startCitus()
    url = await createOnNodes(
      cluster.nodes.map((node) => node.url('postgres')),
      'outage',
      'template0',
    )
  })
  afterAll(async () => {
    await worker?.close()
    await app?.close()
    await cluster.stop()
  })

  async function seed() {
    const { client, workspaceId } = await app.newWorkspace()
    const component = await client.create('/components', { name: 'Answers' })
    const below = `/components/${component}`
    const datasetId = await client.create(`${below}/datasets`, { name: 'Questions' })
    const items = [{ input: 'question', output: 'answer', expected: 'answer' }]
    expect((await client.post(`${below}/datasets/${datasetId}/items`, items)).status).toBe(201)
    const { rows } = await runSql(
      url,
      `select nodeport from pg_dist_shard_placement
      where shardid = get_shard_id_for_distribution_column('components', '${workspaceId}')`,
    )
    const config = { evaluators: [{ type: 'exactMatch' }] }
    const evaluate = () => client.post(`${below}/evaluations`, { datasetId, config })
    return { client, below, evaluate, port: String(rows[0]?.nodeport) }
  }

  const portOf = (place: number) => new URL(cluster.nodes[place]?.url('postgres') ?? '').port
  function of(place: number) {
    const found = seeded.get(portOf(place))
    if (!found) throw new Error(`nothing is on node ${place}`)
    return found
  }
  const statusOf = async (place: number, id: unknown) =>
    (await of(place).client.get(`${of(place).below}/evaluations/${id}`)).body.status

  it('an empty database is distributed by the command, and applications are on both workers', async () => {
    expect(await runInProcess(['distribute'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    expect(await runInProcess(['distribute'], { DATABASE_URL: url })).toMatchObject({
      output: expect.stringContaining('is already distributed'),
    })
    app = await startTestApp(url, { works: false })
    for (let tries = 0; seeded.size < 2 && tries < 40; tries += 1) {
      const one = await seed()
      seeded.set(one.port, one)
    }
    expect([...seeded.keys()].toSorted()).toEqual([portOf(1), portOf(2)].toSorted())
    expect((await app.anonymous.get('/ready')).status).toBe(200)
  })

  let waiting: unknown
  it('the other applications and sign-in continue, its own get 503, and /ready names it', async () => {
    const person = await app.newPerson()
    waiting = (await of(1).evaluate()).body.id
    const lost = cluster.nodes[1]
    process.kill(lost.pid, 'SIGQUIT')
    await waitFor('the node to be gone', async () => {
      return (await of(1).client.get(of(1).below)).status === 503 || undefined
    })
    expect((await of(2).client.get(of(2).below)).status).toBe(200)
    expect((await of(2).client.post('/components', { name: 'Another' })).status).toBe(201)
    const signIn = await app.anonymous.post('/api/auth/sign-in/email', { email: person.email, password: PASSWORD })
    expect(signIn.status).toBe(200)
    expect(await app.anonymous.get('/ready')).toMatchObject({
      status: 503,
      body: { error: 'The server is not ready. nodes: 1 of the 2 nodes of the database cannot be reached' },
    })
  })

  it('requests that fail leave no connections', async () => {
    await Promise.all(Array.from({ length: 40 }, () => of(1).client.get(of(1).below)))
    const { rows } = await runSql(
      url,
      `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name = 'touchstone'`,
    )
    expect(rows[0]?.count).toBeLessThanOrEqual(10)
  })

  it('its jobs wait without using attempts, and everything continues by itself when it is back', async () => {
    worker = await startTestApp(url)
    await waitFor('the job to wait', async () => {
      const { rows } = await runSql(url, 'select attempts, last_error from jobs where last_error is not null')
      return rows.some(({ attempts }) => attempts <= 1) || undefined
    })
    await cluster.nodes[1].restart('immediate')
    await waitFor('the server to be ready', async () => (await app.anonymous.get('/ready')).status === 200 || undefined)
    expect((await of(1).client.get(of(1).below)).status).toBe(200)
    await waitFor('the evaluation', async () => (await statusOf(1, waiting)) === 'completed' || undefined)
  })
})

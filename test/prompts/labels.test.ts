// @module-tag sql
import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rounds } from '../harness/stage.ts'
import { contentOf, move, type SeededPrompt, saveTexts, seedPrompt } from './seed-prompt.ts'

describeEachEngine('labels of a prompt', (app) => {
  async function seed(versions: number) {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, versions)
    return prompt
  }

  async function rollBack({ client, path }: SeededPrompt, label = 'production') {
    return client.post(`${path}/labels/${label}/rollback`, {})
  }

  async function historyOf({ client, path }: SeededPrompt) {
    const { body } = await client.get(`${path}/labels/production/history`)
    return [body.data].flat().map((row) => Object(row))
  }

  it('PUT 200 moves a label; its number grows, and its seed changes only with the set of versions', async () => {
    const prompt = await seed(3)
    const first = await move(prompt, 'production', 1, { note: 'first' })
    expect(first.body).toEqual({
      name: 'production',
      change: 1,
      seed: 1,
      splits: [{ version: 1, weight: 100 }],
      protection: { minRole: 'editor', gate: null },
      changedBy: NEW_ID,
      changedAt: TIMESTAMP,
    })
    const moves: [[number, number][], change: number, seed: number][] = [
      [
        [
          [1, 90],
          [2, 10],
        ],
        2,
        2,
      ],
      [
        [
          [1, 50],
          [2, 50],
        ],
        3,
        2,
      ],
      [
        [
          [2, 50],
          [1, 50],
        ],
        4,
        2,
      ],
      [
        [
          [2, 50],
          [1, 50],
        ],
        4,
        2,
      ],
      [
        [
          [2, 100],
          [1, 0],
        ],
        5,
        2,
      ],
      [[[2, 100]], 6, 6],
    ]
    for (const [splits, change, seedNumber] of moves) {
      const { body } = await move(prompt, 'production', splits)
      expect(body).toMatchObject({
        change,
        seed: seedNumber,
        splits: splits.map(([version, weight]) => ({ version, weight })),
      })
    }
    expect(await prompt.client.list(`${prompt.path}/labels`)).toMatchObject([{ name: 'production', change: 6 }])
  })

  it('rejects weights and versions that are wrong, with the sum, the version or the limit in the message', async () => {
    const prompt = await seed(2)
    const other = await prompt.client.create(`/components/${prompt.componentId}/prompts`, { name: 'other' })
    const ofOther = prompt.path.replace(prompt.promptId, other)
    expectError(await move({ ...prompt, path: ofOther }, 'a', 1), 400, 'Prompt other has no version 1; save one first')
    const cases: [[number, number][], string | RegExp][] = [
      [[[1, 90]], 'The weights of the splits must sum to 100; they sum to 90'],
      [
        [
          [1, 90],
          [2, 20],
        ],
        'The weights of the splits must sum to 100; they sum to 110',
      ],
      [
        [
          [1, 50],
          [1, 50],
        ],
        'Version 1 is in two splits; add their weights in one',
      ],
      [[[7, 100]], 'Prompt answer has no version 7; its newest number is 2'],
      [
        [
          [1, 99.5],
          [2, 0.5],
        ],
        /whole number/,
      ],
      [
        [
          [1, 101],
          [2, -1],
        ],
        /at (least|most)/,
      ],
      [[], /empty/],
      [Array.from({ length: 11 }, (_, place) => [place + 1, place === 0 ? 100 : 0]), /at most 10/],
    ]
    for (const [splits, message] of cases) {
      const pattern = typeof message === 'string' ? message : new RegExp(message.source, 's')
      expectError(await move(prompt, 'production', splits), 400, pattern)
    }
    expectError(await move(prompt, 'Production', 1), 400)
    const gated = { splits: [{ version: 1, weight: 100 }], evidence: {} }
    expectError(await prompt.client.send('PUT', `${prompt.path}/labels/a`, { body: gated }), 400, /evidence/)
    expect(await prompt.client.list(`${prompt.path}/labels`)).toEqual([])
  })

  it('with ifChange, the second of two changes is rejected with what is now', async () => {
    const prompt = await seed(3)
    await move(prompt, 'production', 1, { ifChange: 0 })
    const both = await Promise.all([2, 3].map((version) => move(prompt, 'production', version, { ifChange: 1 })))
    const [won, lost] = both.toSorted((a, b) => a.status - b.status)
    expect([won?.status, lost?.status]).toEqual([200, 409])
    const [split] = [won?.body.splits].flat()
    expect(lost?.body.error).toBe(
      `Label production is not at change 1: it is at change 2 and serves 100 % version ${Object(split).version}. To replace that, send ifChange 2`,
    )
  })

  it('changes of all kinds at the same time follow each other in the history, and no label keeps a deleted version', {
    tags: 'sized',
  }, async () => {
    for (let round = 0; round < rounds({ test: 2, deep: 10, soak: 200 }); round += 1) {
      const prompt = await seed(3)
      const { client, path } = prompt
      await move(prompt, 'production', 1)
      const moves = [2, 3, 2, 3, 2].map((version) => move(prompt, 'production', version, { ifChange: 1 }))
      const answers = await Promise.all([
        ...moves,
        ...[2, 3].map((version) => client.delete(`${path}/versions/${version}`)),
        rollBack(prompt),
        client.delete(`${path}/labels/production`),
        ...[1, 2, 3].map((place) =>
          client.post(`${path}/versions`, { content: contentOf(`New ${place}`), labels: ['production'] }),
        ),
      ])
      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
      expect(answers.slice(0, moves.length).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      const history = (await historyOf(prompt)).reverse()
      expect(history.map(({ change }) => change)).toEqual(history.map((_, place) => place + 1))
      expect(history.slice(1).map(({ before }) => before)).toEqual(history.slice(0, -1).map(({ after }) => after))
      const served = (await client.list(`${path}/labels`)).flatMap(({ splits }) => splits)
      for (const split of served)
        expect((await client.get(`${path}/versions/${Object(split).version}`)).status).toBe(200)
    }
  })

  it('the history has every change with who made it, what was before and after, and the note', async () => {
    const prompt = await seed(2)
    await move(prompt, 'production', 1, { note: 'first' })
    await move(prompt, 'production', 2)
    await rollBack(prompt)
    const by = { evidence: [], changedBy: NEW_ID, changedAt: TIMESTAMP }
    const [one, two] = [1, 2].map((version) => ({ seed: version, splits: [{ version, weight: 100 }] }))
    expect(await historyOf(prompt)).toEqual([
      { change: 3, kind: 'rolledBack', undoes: 2, before: two, after: one, note: null, ...by },
      { change: 2, kind: 'moved', undoes: null, before: one, after: two, note: null, ...by },
      { change: 1, kind: 'moved', undoes: null, before: null, after: one, note: 'first', ...by },
    ])
    const { body } = await prompt.client.get(`${prompt.path}/labels/production/history?limit=2`)
    const rest = await prompt.client.get(`${prompt.path}/labels/production/history?cursor=${body.nextCursor}`)
    expect(rest.body).toMatchObject({ data: [{ change: 1 }], nextCursor: null })
    for (const label of ['staging', 'prod'])
      expectError(
        await prompt.client.get(`${prompt.path}/labels/${label}/history`),
        404,
        `Prompt answer has no label ${label}.`,
      )
  })

  it('rolling back again goes further back and never forward, and keeps the seed of the state', async () => {
    const prompt = await seed(4)
    for (const version of [1, 2, 3]) await move(prompt, 'production', version)
    const states: unknown[] = []
    for (const _ of [1, 2]) {
      const { body } = await rollBack(prompt)
      states.push([body.change, body.seed, body.splits])
    }
    expect(states).toEqual([
      [4, 2, [{ version: 2, weight: 100 }]],
      [5, 1, [{ version: 1, weight: 100 }]],
    ])
    expectError(
      await rollBack(prompt),
      409,
      'Label production has no earlier state to return to; move it with PUT, or delete it',
    )
    await move(prompt, 'production', 4)
    expect((await rollBack(prompt)).body.splits).toEqual([{ version: 1, weight: 100 }])
    expect((await rollBack(prompt)).status).toBe(409)
    expectError(await rollBack(prompt, 'staging'), 404, 'Prompt answer has no label staging.')
  })

  it('a rollback restores a version that was deleted meanwhile', async () => {
    const prompt = await seed(2)
    await move(prompt, 'production', 1)
    await move(prompt, 'production', 2)
    expect((await prompt.client.delete(`${prompt.path}/versions/1`)).status).toBe(204)
    expect((await rollBack(prompt)).status).toBe(200)
    expect((await prompt.client.get(`${prompt.path}/versions/1`)).status).toBe(200)
  })

  it('DELETE 204 deletes a label; its numbers go on, and a rollback brings it back', async () => {
    const prompt = await seed(2)
    const { client, path } = prompt
    await move(prompt, 'production', 2)
    expect((await client.delete(`${path}/labels/production`)).status).toBe(204)
    expect(await client.list(`${path}/labels`)).toEqual([])
    expectError(await client.delete(`${path}/labels/production`), 404, 'Prompt answer has no label production.')
    expect((await client.delete(`${path}/versions/2`)).status).toBe(204)
    expect((await rollBack(prompt)).body).toMatchObject({ change: 3, splits: [{ version: 2 }] })
    await client.delete(`${path}/labels/production`)
    expect((await move(prompt, 'production', 1)).body).toMatchObject({ change: 5, seed: 5 })
    // Before it, the label served nothing: a rollback never takes a label away.
    expect((await rollBack(prompt)).status).toBe(409)
  })

  it('a protected label is moved and deleted by admins only, in a session; a rollback is never denied to an editor', async () => {
    const prompt = await seed(2)
    const { client, path, workspaceId } = prompt
    const admin = await browserWith(app(), workspaceId, 'admin')
    const editor = await browserWith(app(), workspaceId, 'editor')
    await move(prompt, 'production', 1)
    const protection = `${path}/labels/production/protection`
    expectError(await editor.send('PUT', protection, { body: { minRole: 'admin' } }), 403)
    for (const body of [{}, { minRole: 'viewer' }, { minRole: 'admin', gate: {} }])
      expectError(await admin.send('PUT', protection, { body }), 400)
    const { body } = await admin.send('PUT', protection, { body: { minRole: 'admin' } })
    expect(body).toMatchObject({ change: 1, protection: { minRole: 'admin' }, splits: [{ version: 1 }] })
    const denied = (role: string) =>
      `Label production is protected: changing it requires the role admin in a session; yours is ${role}`
    for (const by of [client, editor]) {
      expectError(await move({ client: by, path }, 'production', 2), 403, denied('editor'))
      expectError(await by.delete(`${path}/labels/production`), 403, denied('editor'))
      expectError(await by.delete(path), 403, denied('editor'))
    }
    expect((await move({ client: admin, path }, 'production', 2)).status).toBe(200)
    expect((await rollBack({ ...prompt, client: editor })).body.splits).toEqual([{ version: 1, weight: 100 }])
    expect((await admin.delete(`${path}/labels/production`)).status).toBe(204)
    expectError(await move(prompt, 'production', 2), 403, denied('editor'))
    expect(await client.list(`${path}/labels`)).toMatchObject([
      { name: 'production', change: 4, splits: [], protection: { minRole: 'admin' } },
    ])
  })

  it('a prompt has at most 50 labels; deleted ones do not count', async () => {
    const prompt = await seed(1)
    const labels = Array.from({ length: 50 }, (_, place) => `l${place}`)
    for (let from = 0; from < 50; from += 10) {
      const body = { content: contentOf('Text 1 for {{name}}'), labels: labels.slice(from, from + 10) }
      expect((await prompt.client.post(`${prompt.path}/versions`, body)).status).toBe(200)
    }
    expectError(await move(prompt, 'more', 1), 409, 'A prompt has at most 50 labels; delete one first')
    await prompt.client.delete(`${prompt.path}/labels/l0`)
    expect((await move(prompt, 'more', 1)).status).toBe(200)
  })
})

/** Of all servers of this file; it never goes back. */
let now = Date.parse('2026-03-01T00:00:00Z')

describeEachEngine(
  'GET …/live',
  (app) => {
    it('lists what was served in a period: also what began before it, and until when', async () => {
      const hour = 3_600_000
      const start = now
      const prompt = await seedPrompt(app())
      await saveTexts(prompt, 3)
      const at = (hours: number) => new Date(start + hours * hour).toISOString()
      const changes: [number, () => Promise<unknown>][] = [
        [1, () => move(prompt, 'production', 1)],
        [2, () => move(prompt, 'staging', 3)],
        [10, () => move(prompt, 'production', 2)],
        [20, () => prompt.client.delete(`${prompt.path}/labels/production`)],
        [30, () => move(prompt, 'production', 3)],
      ]
      for (const [hours, change] of changes) {
        now = Date.parse(at(hours))
        await change()
      }
      now = Date.parse(at(40))
      const live = async (query: string) => {
        const { status, text, body } = await prompt.client.get(`${prompt.path}/live${query}`)
        expect(status, text).toBe(200)
        return [body.data].flat().map((row) => {
          const { label, splits, since, until } = Object(row)
          return [label, splits[0].version, since, until]
        })
      }
      const [third, second, staging, first] = [
        ['production', 3, at(30), null],
        ['production', 2, at(10), at(20)],
        ['staging', 3, at(2), null],
        ['production', 1, at(1), at(10)],
      ]
      expect(await live('')).toEqual([third, second, staging, first])
      expect(await live(`?from=${at(12)}&to=${at(25)}`)).toEqual([second, staging])
      expect(await live(`?from=${at(22)}&to=${at(25)}`)).toEqual([staging])
      expect(await live('?from=2026-02-01&to=2026-02-28')).toEqual([])
      const { body } = await prompt.client.get(`${prompt.path}/live?limit=3`)
      expect(await live(`?cursor=${body.nextCursor}`)).toEqual([first])
      for (const query of ['?from=now', '?from=2026-03-02&to=2026-03-01', '?label=production', '?cursor=x'])
        expectError(await prompt.client.get(`${prompt.path}/live${query}`), 400)
    })
  },
  { clock: { now: () => now } },
)

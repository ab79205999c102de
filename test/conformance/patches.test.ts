// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError } from './answer-forms.ts'
import { movableClock, SECOND } from './movable-clock.ts'
import { seedChain } from './operations.ts'

const clock = movableClock()

describeEachEngine(
  'PATCH',
  (app) => {
    async function seeded() {
      const { client, workspaceId } = await app().newWorkspace()
      const ids = await seedChain(client)
      const component = `/components/${ids.component}`
      const paths = {
        component,
        dataset: `${component}/datasets/${ids.dataset}`,
        run: `${component}/runs/${ids.run}`,
      }
      return { client, workspaceId, ids, paths }
    }

    describe.each(['component', 'dataset'] as const)('a %s', (kind) => {
      it('200 changes the name and keeps the rest', async () => {
        const { client, paths } = await seeded()
        const before = (await client.get(paths[kind])).body
        clock.advance(SECOND)
        const { status, body } = await client.patch(paths[kind], { name: 'Renamed' })
        expect(status).toBe(200)
        expect({ ...body, updatedAt: 0 }).toEqual({ ...before, name: 'Renamed', updatedAt: 0 })
        expect((await client.get(paths[kind])).body).toEqual(body)
      })

      it('200 sets the description and takes it away, and keeps the name', async () => {
        const { client, paths } = await seeded()
        const before = (await client.get(paths[kind])).body
        expect((await client.patch(paths[kind], { description: 'What for' })).body).toMatchObject({
          name: before.name,
          description: 'What for',
        })
        expect((await client.patch(paths[kind], { description: null })).body).toMatchObject({ description: null })
      })
    })

    it('moves updatedAt of a component, and not createdAt', async () => {
      const { client, paths } = await seeded()
      const before = (await client.get(paths.component)).body
      clock.advance(SECOND)
      const { body } = await client.patch(paths.component, { name: 'Renamed' })
      expect(body.createdAt).toBe(before.createdAt)
      expect(String(body.updatedAt) > String(before.updatedAt)).toBe(true)
    })

    it('200 names a run and takes its name away', async () => {
      const { client, paths } = await seeded()
      const before = (await client.get(paths.run)).body
      expect(await client.patch(paths.run, { name: 'Second try' })).toMatchObject({
        status: 200,
        body: { ...before, name: 'Second try' },
      })
      expect((await client.patch(paths.run, { name: null })).body).toEqual({ ...before, name: null })
      expect((await client.get(paths.run)).body).toEqual({ ...before, name: null })
    })

    it('400 for a description of a run, which has none', async () => {
      const { client, paths } = await seeded()
      expectError(await client.patch(paths.run, { description: 'x' }), 400, /description is not known/)
    })

    it.each(['component', 'dataset', 'run'] as const)(
      '400 for a change of nothing, of the wrong kind, or of what is not to be changed: %s',
      async (kind) => {
        const { client, paths, ids } = await seeded()
        const before = (await client.get(paths[kind])).text
        expectError(await client.patch(paths[kind], {}), 400, /at least one field/)
        expectError(await client.patch(paths[kind], { name: 5 }), 400, /name must be a string/)
        expectError(await client.patch(paths[kind], { name: 'x'.repeat(501) }), 400, /name.*500/)
        expectError(await client.patch(paths[kind], { name: 'a', id: ids.run }), 400, /id is not known/)
        if (kind !== 'run') expectError(await client.patch(paths[kind], { name: null }), 400, /name must be a string/)
        expect((await client.get(paths[kind])).text).toBe(before)
      },
    )

    it('404 for missing, foreign and deleted resources and those below another component, byte for byte the same', async () => {
      const { client, paths, ids } = await seeded()
      const foreign = await seeded()
      const sibling = await client.create('/components', { name: 'sibling' })
      for (const [kind, message] of [
        ['component', 'Component not found'],
        ['dataset', 'Dataset not found'],
        ['run', 'Run not found'],
      ] as const) {
        const missing = paths[kind].replace(ids[kind], ABSENT_ID)
        const astray = paths[kind].replace(ids.component, kind === 'component' ? ABSENT_ID : sibling)
        for (const path of [missing, foreign.paths[kind], astray])
          expectError(await client.patch(path, { name: 'x' }), 404, message)
      }
      await client.delete(paths.component)
      for (const path of Object.values(paths)) expect((await client.patch(path, { name: 'x' })).status).toBe(404)
      expect((await foreign.client.get(foreign.paths.dataset)).body.name).toBe('Questions')
    })
  },
  { clock },
)

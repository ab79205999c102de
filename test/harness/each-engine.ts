import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { createOnNodes } from './citus-cluster.ts'
import { type StartOptions, startTestApp, type TestApp } from './test-app.ts'

export type Engine = 'sqlite' | 'postgres'

/** In the stage on Citus (`test/citus/run-stage.ts`), PostgreSQL is the coordinator of a cluster. */
const isOnCitus = process.env['TEST_ENGINE'] === 'citus'
export const ENGINES: readonly Engine[] = isOnCitus ? ['postgres'] : ['sqlite', 'postgres']

/** Runs the tests once per engine. `npm test` runs those on PostgreSQL only in files that are tagged with `sql`. */
export function describeEngines(name: string, tests: (engine: Engine) => void): void {
  for (const engine of ENGINES)
    describe(`${name} (${isOnCitus ? 'citus' : engine})`, { tags: engine === 'postgres' ? ['postgres'] : [] }, () =>
      tests(engine),
    )
}

/** Runs the tests once per engine, against a server of their own on an empty database. */
export function describeEachEngine(
  name: string,
  tests: (app: () => TestApp, engine: Engine) => void,
  options: StartOptions = {},
): void {
  describeEngines(name, (engine) => {
    let app: TestApp | undefined
    let database: TestDatabase | undefined
    beforeAll(async () => {
      database = await createTestDatabase(engine, 'migrated')
      app = await startTestApp(database.url, options)
    })
    afterAll(async () => {
      await app?.close()
      database?.remove()
    })
    tests(() => {
      if (!app) throw new Error('the server runs only while a test does')
      return app
    }, engine)
  })
}

export type TestDatabase = { url: string; remove(): void }

/**
 * A database without rows: a file in a folder of its own, or a new database of the run's PostgreSQL. Where the start is not what
 * is tested it is a copy of one that was migrated once for the whole run, because migrations take longer than most tests.
 */
export async function createTestDatabase(
  engine: Engine,
  contents: 'empty' | 'migrated' = 'empty',
): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-test-'))
    const file = join(folder, 'test.db')
    if (contents === 'migrated') copyFileSync(inject('migratedFile'), file)
    return { url: `file:${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) }
  }
  const name = inject('databasePrefix') + randomBytes(6).toString('hex')
  const template = contents === 'migrated' ? inject('migratedDatabase') : 'template0'
  // Dropped with all others at the end of the run.
  return { url: await createOnNodes(inject('nodeUrls'), name, template), remove: () => {} }
}

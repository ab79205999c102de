import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { type StartOptions, startTestApp, type TestApp } from './test-app.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

/** Runs the tests once per engine, against a server of their own on an empty database. */
export function describeEachEngine(
  name: string,
  tests: (app: () => TestApp, engine: Engine) => void,
  options: StartOptions = {},
): void {
  describe.each(ENGINES)(`${name} (%s)`, (engine) => {
    let app: TestApp | undefined
    let database: TestDatabase | undefined
    beforeAll(async () => {
      database = await createTestDatabase(engine)
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

/** An empty database: a file in a folder of its own, or a new database of the run's PostgreSQL. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-test-'))
    return { url: `file:${join(folder, 'test.db')}`, remove: () => rmSync(folder, { recursive: true, force: true }) }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  // The whole server goes away with the run, and this database with it.
  return { url: url.href, remove: () => {} }
}

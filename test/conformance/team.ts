import { insertMember } from '../../src/auth/members/member-queries.ts'
import { timestamp } from '../../src/base/clock.ts'
import type { Role } from '../../src/base/principal.ts'
import type { Client } from '../harness/client.ts'
import type { Person, TestApp } from '../harness/test-app.ts'

const people = new WeakMap<TestApp, Map<string, Promise<Person>>>()

/**
 * A person with this role in the workspace. The same person plays the role in every workspace of a server, because signing in
 * costs more than everything else that a test does; a test that lists a person's workspaces needs a `newPerson` instead.
 */
export async function personWith(app: TestApp, workspaceId: string, role: Role): Promise<Person> {
  const person = await personNamed(app, role)
  const createdAt = timestamp(app.clock.now())
  await app.storage.transaction((tx) => insertMember(tx, { workspaceId, userId: person.userId, role, createdAt }))
  return person
}

/** A browser of a person with this role in the workspace. */
export async function browserWith(app: TestApp, workspaceId: string, role: Role): Promise<Client> {
  return app.asPerson(await personWith(app, workspaceId, role), workspaceId)
}

/** A person who can sign in and is a member of nothing. */
export function stranger(app: TestApp): Promise<Person> {
  return personNamed(app, 'stranger')
}

function personNamed(app: TestApp, name: string): Promise<Person> {
  const known = people.get(app) ?? new Map<string, Promise<Person>>()
  people.set(app, known)
  const person = known.get(name) ?? app.newPerson()
  known.set(name, person)
  return person
}

let invited = 0

/** An unused address. */
export function newEmail(): string {
  invited += 1
  return `invited-${invited}-${process.pid}@example.com`
}

/** The secret in the link of an invitation. */
export function tokenOf(url: unknown): string {
  return /\/invite#([\w-]{43})$/.exec(String(url))?.[1] ?? ''
}

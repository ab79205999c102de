import { expect } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import type { Route } from '../../src/http/route.ts'
import type { Answer, Client } from '../harness/client.ts'
import { type IdSlot, type Ids, idSlotsOf, nameOf, requestOf } from './route-requests.ts'
import { senderIdOf, type Tenant } from './seed-tree.ts'

const newId = idGenerator({ now: () => Date.now() })

export async function send(client: Client, route: Route, ids: Ids): Promise<Answer> {
  const { method, path, ...sent } = requestOf(route, ids)
  return client.send(method, path, sent)
}

/**
 * Sends ids of the other workspace and ids of nothing, in every place alone and in all at once: what the caller sees must be the
 * same. Returns one answer per place.
 */
export async function expectForeignAsMissing(
  client: Client,
  route: Route,
  { home, away }: { home: Tenant; away: Tenant },
): Promise<Answer[]> {
  const slots = idSlotsOf(route)
  const answers: Answer[] = []
  for (const slot of slots) {
    const missing = await send(client, route, { ...home.ids, [slot.name]: newId() })
    for (const id of foreignIds(away, slot)) {
      const foreign = await send(client, route, { ...home.ids, [slot.name]: id })
      expect(visible(foreign), `${nameOf(route)}, ${slot.place} ${slot.name}`).toEqual(visible(missing))
    }
    answers.push(missing)
  }
  const allMissing = await send(client, route, Object.fromEntries(slots.map(({ name }) => [name, newId()])))
  const allForeign = await send(client, route, away.ids)
  expect(visible(allForeign), `${nameOf(route)}, every id`).toEqual(visible(allMissing))
  return answers
}

/** A person and an invitation are both named by `userId`; a trace has two names. */
function foreignIds(away: Tenant, { name }: IdSlot): string[] {
  const id = away.ids[name]
  if (id === undefined) throw new Error(`The other workspace has no ${name}`)
  if (name === 'traceId') return [id, senderIdOf(away.ids)]
  return name === 'userId' ? [id, away.owner.userId] : [id]
}

/** The connection's own headers differ when it has served as many requests as one may: that reveals nothing about the request. */
const OF_THE_CONNECTION = ['date', 'x-request-id', 'connection', 'keep-alive']

/** All that a caller sees of an answer, but for what is different in any two answers. */
export function visible({ status, text, headers }: Answer): unknown {
  const shown = [...headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))
  return { status, text, headers: Object.fromEntries(shown) }
}

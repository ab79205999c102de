import type { Component } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'
import { NameNotFoundError } from '../sdk-errors.ts'
import type { ComponentResource } from './component-resource.ts'

export const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** By its name. */
export async function findNamedComponent(
  components: ComponentResource,
  name: string,
  options: CallOptions,
): Promise<Component> {
  const found = await findByName(components.list({}, options), name)
  if (!found) throw new NameNotFoundError(`There is no component named "${name}".`)
  return found
}

export async function findByName<Entry extends { name: string | null }>(
  entries: Pages<Entry>,
  name: string,
): Promise<Entry | undefined> {
  for await (const entry of entries) if (entry.name === name) return entry
  return undefined
}

import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, EntryOf, QueryOf, ResponseOf } from '../api-types.ts'
import type { Component } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ONE = '/components/{componentId}'

export class ComponentResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(query: QueryOf<'GET', '/components'> = {}, options: CallOptions = {}): Pages<EntryOf<'/components'>> {
    return this.#api.list('/components', { query, ...options })
  }

  get(componentId: string, options: CallOptions = {}): Promise<Component> {
    return this.#api.request('GET', ONE, { params: { componentId }, ...options })
  }

  create(body: BodyOf<'POST', '/components'>, options: CallOptions = {}): Promise<ResponseOf<'POST', '/components'>> {
    return this.#api.request('POST', '/components', { body, ...options })
  }

  update(componentId: string, body: BodyOf<'PATCH', typeof ONE>, options: CallOptions = {}): Promise<Component> {
    return this.#api.request('PATCH', ONE, { params: { componentId }, body, ...options })
  }

  async delete(componentId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId }, ...options })
  }
}

import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, QueryOf, ResponseOf } from '../api-types.ts'
import type { Dataset, DatasetItem, NewDatasetItem } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ALL = '/components/{componentId}/datasets'
const ONE = '/components/{componentId}/datasets/{datasetId}'
const ITEMS = '/components/{componentId}/datasets/{datasetId}/items'
const ITEM = '/components/{componentId}/datasets/{datasetId}/items/{itemId}'
const IMPORT = '/components/{componentId}/datasets/{datasetId}/import'
const EXPORT = '/components/{componentId}/datasets/{datasetId}/export'

export class DatasetResource {
  readonly #api: ApiRequests
  readonly items: DatasetItemResource

  constructor(api: ApiRequests) {
    this.#api = api
    this.items = new DatasetItemResource(api)
  }

  list(componentId: string, query: QueryOf<'GET', typeof ALL> = {}, options: CallOptions = {}): Pages<Dataset> {
    return this.#api.list(ALL, { params: { componentId }, query, ...options })
  }

  get(componentId: string, datasetId: string, options: CallOptions = {}): Promise<Dataset> {
    return this.#api.request('GET', ONE, { params: { componentId, datasetId }, ...options })
  }

  create(componentId: string, body: BodyOf<'POST', typeof ALL>, options: CallOptions = {}): Promise<Dataset> {
    return this.#api.request('POST', ALL, { params: { componentId }, body, ...options })
  }

  update(
    componentId: string,
    datasetId: string,
    body: BodyOf<'PATCH', typeof ONE>,
    options: CallOptions = {},
  ): Promise<Dataset> {
    return this.#api.request('PATCH', ONE, { params: { componentId, datasetId }, body, ...options })
  }

  async delete(componentId: string, datasetId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, datasetId }, ...options })
  }

  /** Imports the items of a file. The media type names its format: `text/csv`, `application/jsonl` or `application/json`. */
  import(
    componentId: string,
    datasetId: string,
    file: { content: string; type: 'text/csv' | 'application/jsonl' | 'application/json' },
    query: QueryOf<'POST', typeof IMPORT> = {},
    options: CallOptions = {},
  ): Promise<ResponseOf<'POST', typeof IMPORT>> {
    const headers = { ...options.headers, 'content-type': file.type }
    return this.#api.request('POST', IMPORT, {
      params: { componentId, datasetId },
      query,
      body: file.content,
      ...options,
      headers,
    })
  }

  /** The items as text, one JSON object per line, or as CSV. */
  async export(
    componentId: string,
    datasetId: string,
    query: { format?: 'jsonl' | 'csv' } = {},
    options: CallOptions = {},
  ): Promise<string> {
    const text = await this.#api.request('GET', EXPORT, { params: { componentId, datasetId }, query, ...options })
    return String(text)
  }
}

class DatasetItemResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(
    componentId: string,
    datasetId: string,
    query: QueryOf<'GET', typeof ITEMS> = {},
    options: CallOptions = {},
  ): Pages<DatasetItem> {
    return this.#api.list(ITEMS, { params: { componentId, datasetId }, query, ...options })
  }

  get(componentId: string, datasetId: string, itemId: string, options: CallOptions = {}): Promise<DatasetItem> {
    return this.#api.request('GET', ITEM, { params: { componentId, datasetId, itemId }, ...options })
  }

  /** Adds one item, or up to 1,000 at once. */
  async create(
    componentId: string,
    datasetId: string,
    items: NewDatasetItem | NewDatasetItem[],
    options: CallOptions = {},
  ): Promise<DatasetItem[]> {
    const params = { componentId, datasetId }
    // The description names both forms in one schema, whose type has only the first.
    const body = items as NewDatasetItem
    const { data } = await this.#api.request('POST', ITEMS, { params, body, ...options })
    return data
  }

  update(
    componentId: string,
    datasetId: string,
    itemId: string,
    body: BodyOf<'PATCH', typeof ITEM>,
    options: CallOptions = {},
  ): Promise<DatasetItem> {
    return this.#api.request('PATCH', ITEM, { params: { componentId, datasetId, itemId }, body, ...options })
  }

  async delete(componentId: string, datasetId: string, itemId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ITEM, { params: { componentId, datasetId, itemId }, ...options })
  }
}

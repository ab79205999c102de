import { Type } from 'typebox'
import { badRequest } from '../../base/errors.ts'
import { SplitName } from '../../datasets/splits/split-schemas.ts'
import { closed, Id, Name, Text } from '../../http/schemas.ts'
import { Component, Dataset } from '../named-arguments.ts'
import { longText, Ref, Stored, TextPart, type TextRange } from '../stored-text.ts'
import {
  type Call,
  defineTool,
  type Loaded,
  listIn,
  offsetCursor,
  offsetOf,
  offsetPage,
  paging,
  queryOf,
} from '../tool.ts'
import { Metric, Num, RunName } from './shared-fields.ts'

const DATASET_SUMMARIES = 'GET /components/:componentId/dataset-summaries'
const DATASETS = '/components/:componentId/datasets'

export const listDatasets = defineTool({
  name: 'list_datasets',
  title: 'List datasets',
  description: 'Lists the datasets of a component, newest first, with their newest run and its results.',
  routes: [DATASET_SUMMARIES],
  input: closed({ component: Component, ...paging }),
  facts: {},
  row: closed({
    id: Ref,
    name: Stored,
    description: Stored,
    itemCount: Num,
    createdAt: Stored,
    runs: Num,
    newestRun: RunName,
    results: Type.Optional(closed({ id: Ref, headline: Stored, metrics: Type.Optional(Type.Array(Metric)) })),
  }),
  narrow: 'Use a lower limit, or continue with the cursor.',
  run: async (call, { component: componentId, limit, cursor }) => {
    const body = await call(DATASET_SUMMARIES, { params: { componentId }, query: queryOf({ limit, cursor }) })
    return { rows: listIn(body), nextCursor: body.nextCursor }
  },
})

const ITEMS = `GET ${DATASETS}/:datasetId/items`
const ITEM = `GET ${DATASETS}/:datasetId/items/:itemId`
const ITEM_TEXT_MAX = 300
const ONE_ITEM_TEXT_MAX = 4_000
/** The API has no longer pages; one row more is read than returned. */
const ITEMS_PER_CALL = 100

export const getDatasetItems = defineTool({
  name: 'get_dataset_items',
  title: 'Get items of a dataset',
  description:
    'Lists the items of a dataset, newest first: input and expected output, cut. With itemId, one item; read on in its texts with textOffset. The output recorded in the trace of an item needs include ["io"].',
  routes: [ITEMS, ITEM],
  input: closed({
    component: Component,
    dataset: Dataset,
    itemId: Type.Optional(Id),
    split: Type.Optional(SplitName),
    include: Type.Optional(
      Type.Array(Type.Enum(['io'], { type: 'string' }), {
        maxItems: 1,
        description: '["io"] also returns the recorded output of the trace that an item comes from.',
      }),
    ),
    textOffset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    limit: paging.limit,
    cursor: offsetCursor,
  }),
  facts: {},
  row: closed({
    id: Ref,
    traceId: Ref,
    traceDbId: Ref,
    split: Stored,
    createdAt: Stored,
    input: TextPart,
    expected: TextPart,
    output: TextPart,
  }),
  narrow:
    'Use split or a lower limit, or continue with the cursor. A text with nextOffset continues: call get_dataset_items with itemId and textOffset.',
  run: async (
    call,
    { component: componentId, dataset: datasetId, itemId, split, textOffset: offset = 0, limit, cursor },
  ): Promise<Loaded> => {
    const params = { componentId, datasetId }
    if (itemId !== undefined) {
      const item = await call(ITEM, { params: { ...params, itemId } })
      return { rows: [withTexts(item, { offset, lengthMax: ONE_ITEM_TEXT_MAX })] }
    }
    if (offset > 0) throw badRequest('The field textOffset needs itemId')
    const page = { limit: Math.min(limit, ITEMS_PER_CALL - 1), offset: offsetOf(cursor) }
    const body = await call(ITEMS, { params, query: queryOf({ split, limit: page.limit + 1, offset: page.offset }) })
    const rows = listIn(body).map((item) => withTexts(item, { offset: 0, lengthMax: ITEM_TEXT_MAX }))
    return offsetPage(rows, page)
  },
})

function withTexts(item: Record<string, unknown>, range: TextRange) {
  const { input, expected, output, ...fields } = item
  const always = { ...range, isAlwaysShown: true }
  return {
    ...fields,
    input: longText(input, always),
    expected: longText(expected, always),
    output: longText(output, range),
  }
}

const TRACES = 'GET /traces'
const CREATE = `POST ${DATASETS}`
const ADD = `POST ${DATASETS}/:datasetId/items`
const ADD_BY_QUERY = `POST ${DATASETS}/:datasetId/items/from-query`

export const createDatasetFromTraces = defineTool({
  name: 'create_dataset_from_traces',
  title: 'Create a dataset from traces',
  description:
    'Creates a dataset whose items are traces: those of traceIds, or the newest that match a query. With dataset instead of name, adds them to an existing dataset; traces that are items of it already are skipped.',
  routes: [TRACES, CREATE, ADD, ADD_BY_QUERY],
  effect: { isDestructive: false, isIdempotent: false },
  input: closed({
    component: Component,
    name: Type.Optional(Name),
    description: Type.Optional(Text),
    dataset: Type.Optional(Dataset),
    traceIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: 1_000 }),
    ),
    query: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: 'A query of the query language.' }),
    ),
    max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'With query: how many traces at most. Default: 100.' }),
    ),
    expected: Type.Optional(
      Type.Enum(['none', 'output'], {
        type: 'string',
        description: 'With query: the expected output of the items. Default: none.',
      }),
    ),
  }),
  facts: { datasetId: Ref, name: Stored, added: Num, skipped: Num },
  narrow: 'The dataset was created; get_dataset_items lists its items.',
  run: async (call, args): Promise<Loaded> => {
    const { name, dataset, traceIds, query: q } = args
    if ((name === undefined) === (dataset === undefined)) throw badRequest('Either name or dataset is required')
    if ((traceIds === undefined) === (q === undefined)) throw badRequest('Either traceIds or query is required')
    if (traceIds) return { facts: await fromIds(call, { ...args, traceIds }) }
    return { facts: await fromQuery(call, { ...args, q: q ?? '' }) }
  },
})

type Target = {
  component: string
  name?: string | undefined
  description?: string | undefined
  dataset?: string | undefined
}

async function fromIds(call: Call, { traceIds, ...target }: Target & { traceIds: string[] }) {
  const { component: componentId, dataset: datasetId } = target
  if (datasetId === undefined) {
    const { id, name, itemCount } = await createDataset(call, target, traceIds)
    return { datasetId: id, name, added: itemCount }
  }
  const body = traceIds.map((traceId) => ({ traceId }))
  const added = await call(ADD, { params: { componentId, datasetId }, body })
  return { datasetId, added: listIn(added).length }
}

type QuerySelection = Target & { q: string; max?: number | undefined; expected?: string | undefined }

async function fromQuery(call: Call, { q, max, expected, ...target }: QuerySelection) {
  const { component: componentId } = target
  // Before anything is created: an invalid query is 400 here, and one that finds nothing would leave an empty dataset.
  const found = await call(TRACES, { query: { q, limit: '1' } })
  if (listIn(found).length === 0) throw badRequest('No trace matches the query, so nothing was created')
  const created = target.dataset === undefined ? await createDataset(call, target, undefined) : undefined
  const datasetId = target.dataset ?? String(created?.id)
  const body = { q, ...(max === undefined ? {} : { limit: max }), ...(expected === undefined ? {} : { expected }) }
  const { added, skipped } = await call(ADD_BY_QUERY, { params: { componentId, datasetId }, body })
  return { datasetId, name: created?.name, added, skipped }
}

function createDataset(
  call: Call,
  { component: componentId, name, description }: Target,
  traceIds: string[] | undefined,
) {
  const optional = { ...(description === undefined ? {} : { description }), ...(traceIds ? { traceIds } : {}) }
  return call(CREATE, { params: { componentId }, body: { name, ...optional } })
}

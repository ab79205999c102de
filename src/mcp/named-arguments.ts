/** Components, datasets, runs and prompts are given by name or id: an agent knows the names, and need not look their ids up. */
import { Type } from 'typebox'
import { notFound } from '../base/errors.ts'
import { UUID_PATTERN } from '../base/ids.ts'
import { NAME_LENGTH_MAX } from '../http/schemas.ts'
import { type Call, listIn, queryOf } from './tool.ts'

const nameOrId = (description: string) => Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description })

export const Component = nameOrId('Its name or id.')
export const Dataset = nameOrId('Its name or id.')
export const Prompt = nameOrId('Its name or id.')
export const Run = nameOrId('Its name or id. Of several with this name: the newest.')

const COMPONENTS = 'GET /components'
const DATASETS = 'GET /components/:componentId/datasets'
const RUNS = 'GET /components/:componentId/runs'
const PROMPTS = 'GET /components/:componentId/prompts'

const PAGE = 100
/** Applications with more of them are asked for the id, so that a call does not read lists without end. */
const ENTRIES_MAX = 2_000

type Arguments = Record<string, unknown>
type Entry = Record<string, unknown>

/** The arguments of a tool with an id in place of each name. */
export async function withIds(call: Call, args: Arguments): Promise<Arguments> {
  const component = await idOf(args.component, 'Component', () => listAll(call, COMPONENTS))
  if (component === undefined) return args
  const list = (route: string) => listAll(call, route, { componentId: component })
  const dataset = await idOf(args.dataset, 'Dataset', () => list(DATASETS))
  const prompt = await idOf(args.prompt, 'Prompt', () => list(PROMPTS))
  const given = {
    ...args,
    component,
    ...(dataset !== undefined && { dataset }),
    ...(prompt !== undefined && { prompt }),
  }
  const runs = ['run', 'candidate', 'baseline'].filter((name) => typeof args[name] === 'string')
  if (runs.every((name) => isId(args[name]))) return given
  return { ...given, ...runIds(await list(RUNS), given, runs) }
}

/** Runs of several datasets may have one name: the baseline is looked for in the dataset of the candidate. */
function runIds(entries: readonly Entry[], args: Arguments, names: readonly string[]): Arguments {
  const ids: Arguments = {}
  let { dataset } = args
  for (const name of names) {
    const ofDataset = entries.filter(({ datasetId }) => dataset === undefined || datasetId === dataset)
    const found = isId(args[name]) ? entries.find(({ id }) => id === args[name]) : named(ofDataset, args[name], 'Run')
    ids[name] = found?.id ?? args[name]
    dataset ??= found?.datasetId
  }
  return ids
}

async function idOf(given: unknown, kind: string, list: () => Promise<Entry[]>): Promise<string | undefined> {
  if (typeof given !== 'string') return undefined
  return isId(given) ? given : String(named(await list(), given, kind).id)
}

function named(entries: readonly Entry[], name: unknown, kind: string): Entry {
  const found = entries.find((entry) => entry.name === name)
  if (found) return found
  const isCut = entries.length >= ENTRIES_MAX
  throw notFound(`${kind} named ${JSON.stringify(name)}${isCut ? ` among the newest ${ENTRIES_MAX}` : ''}`)
}

async function listAll(call: Call, route: string, params: Record<string, string> = {}): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const page = listIn(await call(route, { params, query: queryOf({ limit: PAGE, offset: entries.length }) }))
    entries.push(...page)
    if (page.length < PAGE || entries.length >= ENTRIES_MAX) return entries
  }
}

const ID = new RegExp(UUID_PATTERN)

function isId(value: unknown): boolean {
  return typeof value === 'string' && ID.test(value)
}

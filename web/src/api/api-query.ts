import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ClientPathsWithMethod, MethodResponse, ParamsOption } from 'openapi-fetch'
import { api, dataOf, inApplication } from './api-client.ts'
import type { paths } from './generated/api.ts'

type ReadPath = ClientPathsWithMethod<typeof api, 'get'>
type Body<Path extends ReadPath> = MethodResponse<typeof api, 'get', Path>
type Read<Path extends ReadPath> = { applicationId?: string } & ParamsOption<paths[Path]['get']>

/** Paths whose response is one page of a list, selected by `limit` and `offset`. */
type ListPath = { [Path in ReadPath]: Body<Path> extends { data: unknown[] } ? Path : never }[ReadPath]
type Item<Path extends ListPath> = Body<Path> extends { data: (infer Row)[] } ? Row : never

const PAGE_SIZE = 50

/** A described GET as a query. Its key is the application, the path and the parameters, so `apiKey` finds it. */
export function apiQuery<Path extends ReadPath>(path: Path, read: Read<Path>) {
  return queryOptions({
    queryKey: [...apiKey(path, read.applicationId), read.params ?? {}],
    queryFn: ({ signal }) => get(path, read, signal),
  })
}

/** A list that grows with "Load more". There are no totals: another page can exist only if the last one was full. */
export function listQuery<Path extends ListPath>(path: Path, read: Read<Path>) {
  const params: { query?: object } = read.params ?? {}
  return infiniteQueryOptions({
    queryKey: [...apiKey(path, read.applicationId), params, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...params.query, limit: PAGE_SIZE, offset: pageParam }
      return get(path, { ...read, params: { ...params, query } }, signal)
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, offset) => (rowsOf(page).length === PAGE_SIZE ? offset + PAGE_SIZE : undefined),
    select: ({ pages }: InfiniteData<Body<Path>>): Item<Path>[] => uniqueById(pages.flatMap(rowsOf<Path>)),
  })
}

/** The start of the keys of all queries of a path: invalidating it fetches them again, with any parameters. */
export function apiKey(path: ReadPath, applicationId?: string) {
  return ['application', applicationId ?? null, path]
}

function get<Path extends ReadPath>(path: Path, { applicationId, params }: Read<Path>, signal: AbortSignal) {
  const init = { ...(applicationId && inApplication(applicationId)), params, signal }
  // The client derives its options from a known path; for a path that is a type parameter it cannot.
  return dataOf(api.GET(path, init as never)) as Promise<Body<Path>>
}

function rowsOf<Path extends ListPath>(page: Body<Path>): Item<Path>[] {
  // What `ListPath` selects, but TypeScript does not conclude it from there.
  return (page as { data: Item<Path>[] }).data
}

/** Offsets shift when rows are created meanwhile, so a row can appear twice; the first one is used. */
function uniqueById<Row>(rows: Row[]): Row[] {
  const seen = new Set<unknown>()
  return rows.filter((row) => {
    const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : row
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

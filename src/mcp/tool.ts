/** What a tool is: its words, the routes that it calls, and which fields of their responses it returns. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { RouteCall } from '../http/route.ts'

/** Calls one of the routes that the tool declares, with the permissions of the caller. */
export type Call = (name: string, call?: RouteCall) => Promise<Record<string, unknown>>

/** What a tool has read. The fields that its schemas declare are returned, the others are not. */
export type Loaded = {
  facts?: object
  rows?: readonly unknown[]
  nextCursor?: unknown
  /** The cursor behind some of the rows. Without it, the tool is run again with a lower limit if its rows do not fit. */
  cursorAfter?: (count: number) => string
}

type ToolDefinition<Input extends TObject> = {
  name: string
  title: string
  description: string
  /** Names of routes. The caller needs the roles of all of them. */
  routes: readonly string[]
  /** The default is a tool that only reads. */
  effect?: { isDestructive: boolean; isIdempotent: boolean; callsModels?: boolean }
  input: Input
  facts: TProperties
  /** Undefined if the tool does not return rows. */
  row?: TObject
  /** How to get less or more, for results that do not fit. */
  narrow: string
  run(call: Call, args: Static<Input> & { limit: number }): Promise<Loaded>
}

/** A tool without its type parameter, as the server uses it. The arguments have been validated against the schema. */
export type Tool = Omit<ToolDefinition<TObject>, 'run'> & {
  run(call: Call, args: Record<string, unknown> & { limit: number }): Promise<Loaded>
}

export function defineTool<Input extends TObject>(definition: ToolDefinition<Input>): Tool {
  // The server runs a tool only with arguments that it has validated against `input`.
  return definition as Tool
}

export const ROWS_DEFAULT = 20

/** Arguments of every tool that returns rows. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: `Rows; ${ROWS_DEFAULT} by default.` })),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The nextCursor of the result before.' }),
  ),
}

/** The argument with which a tool also returns inputs and outputs. */
export const include = Type.Optional(
  Type.Array(Type.Enum(['io'], { type: 'string' }), {
    maxItems: 1,
    description: '["io"] also returns inputs and outputs. Without it, results have no texts of traces.',
  }),
)

export function hasTexts({ include: parts = [] }: { include?: string[] | undefined }): boolean {
  return parts.includes('io')
}

/** As query parameters: without undefined values, and as strings. */
export function queryOf(values: Record<string, string | number | boolean | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

/** The array in a field of a response. */
export function listIn(body: Record<string, unknown>, field = 'data'): Record<string, unknown>[] {
  const list = body[field]
  return Array.isArray(list) ? list : []
}

/** Lists by offset: the cursor is the offset of the next row. */
export function offsetOf(cursor: string | undefined): number {
  return Number(cursor ?? 0)
}

/** A cursor of a list by offset has only digits; anything else fails as an argument that is not valid. */
export const offsetCursor = Type.Optional(
  Type.String({ pattern: '^(0|[1-9][0-9]{0,8})$', description: 'The nextCursor of the result before.' }),
)

/** Whether there are more rows is known from one row more than was asked for. */
export function offsetPage(rows: readonly unknown[], { limit, offset }: { limit: number; offset: number }): Loaded {
  const cursorAfter = (count: number) => String(offset + count)
  return {
    rows: rows.slice(0, limit),
    cursorAfter,
    ...(rows.length > limit ? { nextCursor: cursorAfter(limit) } : {}),
  }
}

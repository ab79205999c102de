import { Type } from 'typebox'
import { closed, Id, Name, NullableString, orNull, Timestamp } from '../http/schemas.ts'

const QUERY_LENGTH_MAX = 4_000
const COLUMNS_MAX = 100

const Query = Type.String({ maxLength: QUERY_LENGTH_MAX, description: 'In the query language of traces' })
const Sort = orNull(Type.String({ maxLength: 200 }))
const Columns = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: COLUMNS_MAX })

/** A saved search of traces. The server does not interpret query, sort and columns, so that a saved view never becomes invalid. */
export const View = closed(
  {
    id: Id,
    name: Type.String(),
    query: Type.String(),
    sort: NullableString,
    columns: Type.Array(Type.String()),
    /** Whether all members of the application see it. */
    shared: Type.Boolean(),
    userId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'View' },
)

export const ViewParams = closed({ viewId: Id })

const optional = {
  query: Type.Optional(Query),
  sort: Type.Optional(Sort),
  columns: Type.Optional(Columns),
  shared: Type.Optional(Type.Boolean()),
}

export const CreateViewBody = closed({ name: Name, ...optional })
export const ChangeViewBody = closed({ name: Type.Optional(Name), ...optional }, { minProperties: 1 })

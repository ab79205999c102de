/** The paths, parameters, bodies and responses of the API, from its description. */
import type { paths } from './generated/api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, { responses: unknown }> ? P : never
}[keyof paths]

type Operation<M extends Method, P extends keyof paths> = paths[P][Lowercase<M> & keyof paths[P]]

type Parameters<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { parameters: infer Found } ? Found : never

type PathParams<M extends Method, P extends keyof paths> =
  Parameters<M, P> extends { path: infer Found } ? { params: Found } : { params?: never }

type Query<M extends Method, P extends keyof paths> =
  Parameters<M, P> extends { query: infer Found }
    ? { query: Found }
    : Parameters<M, P> extends { query?: infer Found }
      ? { query?: Found }
      : { query?: never }

type Content<Of> = Of extends { content: infer Found } ? Found[keyof Found] : undefined

type Body<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { requestBody: infer Found }
    ? { body: Content<Found> }
    : Operation<M, P> extends { requestBody?: infer Found }
      ? { body?: Content<NonNullable<Found>> }
      : { body?: never }

/** What a request needs: the ids of its path, its query and its body. */
export type RequestOf<M extends Method, P extends keyof paths> = PathParams<M, P> & Query<M, P> & Body<M, P>

/** The body of a successful response; undefined if it has none. */
export type ResponseOf<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer Found } ? Content<Found[keyof Found]> : never

export type BodyOf<M extends Method, P extends keyof paths> = Body<M, P> extends { body: infer Found } ? Found : never

export type QueryOf<M extends Method, P extends keyof paths> = NonNullable<Query<M, P>['query']>

/** The entries of a list. */
export type EntryOf<P extends PathOf<'GET'>> = ResponseOf<'GET', P> extends { data: (infer Entry)[] } ? Entry : never

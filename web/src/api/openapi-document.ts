/** The part of OpenAPI 3.1 that the reference page reads. */
export interface OpenApi {
  info: { title: string; version: string; description?: string }
  servers?: { url: string }[]
  tags?: { name: string; description?: string }[]
  security?: Record<string, string[]>[]
  paths: Record<string, PathItem>
  components?: {
    schemas?: Record<string, Schema>
    parameters?: Record<string, Parameter>
    responses?: Record<string, ApiResponse>
    requestBodies?: Record<string, RequestBody>
    securitySchemes?: Record<string, SecurityScheme>
  }
}

export const httpMethods = ['get', 'post', 'put', 'patch', 'delete'] as const

export type HttpMethod = (typeof httpMethods)[number]

type PathItem = { [method in HttpMethod]?: OperationObject } & { parameters?: MaybeRef<Parameter>[] }

export interface OperationObject {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  /** An extension of Touchstone: the minimum role for the operation. */
  'x-role'?: string
  parameters?: MaybeRef<Parameter>[]
  requestBody?: MaybeRef<RequestBody>
  responses?: Record<string, MaybeRef<ApiResponse>>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

export interface RequestBody {
  description?: string
  required?: boolean
  content?: Record<string, { schema?: Schema }>
}

export interface ApiResponse {
  description?: string
  content?: Record<string, { schema?: Schema }>
}

export interface SecurityScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  title?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

export type MaybeRef<Thing> = Thing | { $ref: string }

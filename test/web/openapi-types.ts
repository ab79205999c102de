/** The parts of an OpenAPI description that tests read. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: Schema[]
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  minimum?: number
}

type Content = { content?: { 'application/json'?: { schema: Schema } } }

export interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  security?: Record<string, unknown>[]
  requestBody?: Content
  responses: Record<string, Content>
}

/** The parts of an OpenAPI 3.1 document that Playshelf writes. */
export interface Document {
  openapi: '3.1.0'
  info: Info
  servers: { url: string; description: string }[]
  tags: Tag[]
  paths: Record<string, PathItem>
  components: Components
}

interface Info {
  title: string
  version: string
  summary: string
  description: string
  license: { name: string; identifier: string }
}

export interface Tag {
  name: string
  description: string
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

export type PathItem = Partial<Record<Method, Operation>>

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: SecurityRequirement[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses: Record<string, ResponseObject | Reference>
}

export type SecurityRequirement = Record<string, string[]>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

export interface RequestBody {
  required: boolean
  description?: string
  content: Record<string, MediaType>
}

export interface ResponseObject {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Record<string, MediaType>
}

export interface MediaType {
  schema: Schema
  example?: unknown
  examples?: Record<string, { summary?: string; value: unknown }>
}

export interface Header {
  description: string
  schema: Schema
}

export interface Reference {
  $ref: string
}

export interface Components {
  schemas: Record<string, Schema>
  responses: Record<string, ResponseObject>
  headers: Record<string, Header>
  securitySchemes: Record<string, SecurityScheme>
}

export type SecurityScheme = { description: string } & (
  | { type: 'http'; scheme: 'bearer'; bearerFormat?: string }
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string }
)

/** The JSON Schema 2020-12 keywords used here; others are passed through. */
export interface Schema {
  $ref?: string
  type?: string
  title?: string
  description?: string
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  [keyword: string]: unknown
}

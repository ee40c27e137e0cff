import {
  type IntegerOptions,
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TComposite,
  type TObject,
  type TProperties,
  Type,
} from '@sinclair/typebox'
import { t, type TSchema } from 'elysia'

import type { ErrorName } from '../../error-table.ts'
import { findChanged, invalidFields } from '../../errors.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../lib/paging.ts'

/**
 * A whole number in JSON. Elysia's own `t.Integer` also accepts texts, and makes checking the whole schema
 * around it several times slower.
 */
export const Integer = (options?: IntegerOptions) => Type.Integer(options)

/** One of the given texts. Elysia's own `t.UnionEnum` silently fills in the first one if none is sent. */
export function OneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  options: SchemaOptions = {},
) {
  const schema = t.UnionEnum(values, options)
  Reflect.deleteProperty(schema, 'default')
  return schema
}

export const Uid = t.String({ format: 'uuid' })
export const Moment = t.String({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] })

/** An object that refuses fields it does not know. */
export function Strict<Fields extends TProperties>(fields: Fields) {
  return t.Object(fields, { additionalProperties: false })
}

/**
 * An object with the fields of all, none of which have the same name. `t.Composite` would merge those; our schemas
 * together make a start 6 ms slower with it.
 */
export function Joined<Parts extends TObject[]>(
  parts: [...Parts],
  options?: ObjectOptions,
): TComposite<Parts> {
  const fields = Object.assign({}, ...parts.map(({ properties }) => properties)) as TObject['properties']
  return t.Object(fields, options) as unknown as TComposite<Parts>
}

/** Declared as texts, so that invalid values are clamped or replaced by the default and never rejected. */
export const PageQuery = t.Object({
  page: t.Optional(t.String({ description: 'From 1.', examples: ['1'] })),
  page_size: t.Optional(
    t.String({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} by default.`, examples: ['20'] }),
  ),
})

export function Paged<Item extends TSchema>(item: Item) {
  return t.Object({
    items: t.Array(item),
    total: Integer({ minimum: 0 }),
    page: Integer({ minimum: 1 }),
    page_size: Integer({ minimum: 1, maximum: PAGE_SIZE_MAX }),
  })
}

export interface Envelope<Data> {
  success: true
  data: Data
}

/** Wraps every successful JSON response, except those of the editor asset library. */
export function ok<Data>(data: Data): Envelope<Data> {
  return { success: true, data }
}

/** The schema of such a response, for the route's `response`. */
export function Envelope<Data extends TSchema>(data: Data) {
  return t.Object({ success: t.Literal(true), data })
}

/** The answer of a change that has nothing to tell. */
export const Nothing = Envelope(t.Object({}))

export async function done(work: Promise<unknown>) {
  await work
  return ok({})
}

/** What the route of a paged list takes and answers. */
export function listOf<Item extends TSchema>(item: Item) {
  return { query: PageQuery, response: Envelope(Paged(item)) }
}

export const Failure = t.Object(
  {
    success: t.Literal(false),
    error: t.Object({ code: Integer(), message: t.String() }),
    data: t.Optional(t.Record(t.String(), t.Unknown())),
  },
  { $id: 'Failure' },
)

type Answer = Readonly<Record<string, unknown>>

interface WritableOptions {
  /** Fields with a link that is signed anew for every answer; its query is not compared. */
  signedLinks?: readonly string[]
  /** See `takeOverBody`. */
  refusal?: ErrorName
}

/**
 * A field of an answer that a body may repeat. Marked, so that messages do not list it among the known
 * fields.
 */
export const ReadOnly = t.Optional(t.Unknown({ readOnly: true }))

/**
 * The body of a PUT or PATCH, which accepts an answer exactly as it was read. Fields that only the answer has
 * are read-only: `settle` removes those that are unchanged and refuses changed ones.
 */
export function writable<Input extends TProperties>(
  input: TObject<Input>,
  answer: TObject,
  { signedLinks = [], ...schema }: WritableOptions = {},
) {
  const readOnly = Object.keys(answer.properties).filter((name) => !Object.hasOwn(input.properties, name))
  const repeated = Object.fromEntries(readOnly.map((name) => [name, ReadOnly]))
  const body = t.Object({ ...input.properties, ...repeated }, { additionalProperties: false, ...schema })

  async function settle<Sent extends Static<TObject<Input>>>(
    sent: Sent,
    readAnswer: () => Promise<Answer | null>,
  ): Promise<Sent> {
    if (!readOnly.some((name) => name in sent)) return sent
    const present = (await readAnswer()) ?? {}
    const pick = (fields: Answer) =>
      Object.fromEntries(
        readOnly.map((name) => [name, signedLinks.includes(name) ? unsign(fields[name]) : fields[name]]),
      )
    const issues = findChanged(pick(sent), pick(present))
    if (issues.length > 0) throw invalidFields(issues)
    return Object.fromEntries(Object.entries(sent).filter(([name]) => !readOnly.includes(name))) as Sent
  }

  return { body: body as unknown as TObject<Input>, settle }
}

function unsign(link: unknown): unknown {
  return typeof link === 'string' ? link.split('?', 1)[0] : link
}

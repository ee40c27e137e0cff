import { t, type TSchema } from 'elysia'

import { Integer } from '../input/schema.ts'

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

export const Failure = t.Object(
  {
    success: t.Literal(false),
    error: t.Object({ code: Integer(), message: t.String() }),
    data: t.Optional(t.Record(t.String(), t.Unknown())),
  },
  { $id: 'Failure' },
)

import { type IntegerOptions, Type } from '@sinclair/typebox'

/**
 * A whole number, as it stands in JSON. Elysia's own `t.Integer` also takes texts, and makes the whole schema around
 * it several times slower to check.
 */
export const Integer = (options?: IntegerOptions) => Type.Integer(options)

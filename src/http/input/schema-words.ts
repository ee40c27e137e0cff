import { Kind, type TSchema } from '@sinclair/typebox'

/** A pattern without words of its own that several fields share. */
export const NOT_BLANK = String.raw`\S`

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a uid',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00.000Z',
  uri: 'an address such as https://example.org/',
}

/** The values that a schema allows, to continue a sentence: `must be a text of 1 to 80 characters`. */
export function describeSchema(schema: TSchema): string {
  switch (schema[Kind]) {
    case 'String':
      return describeText(schema)
    case 'Integer':
      return `a whole number${describeRange(schema)}`
    case 'Number':
      return `a number${describeRange(schema)}`
    case 'Boolean':
      return 'true or false'
    case 'Literal':
      return JSON.stringify(schema.const)
    case 'UnionEnum':
      return `one of ${schema.enum.join(', ')}`
    case 'Array':
      return describeList(schema)
    case 'Object':
    case 'Record':
      return `an object${describeCount(schema.minProperties, schema.maxProperties, 'field')}`
    case 'Union':
      return schema.anyOf.map(describeSchema).join(', or ')
    default:
      return 'null'
  }
}

function describeText({ format, pattern, minLength, maxLength }: TSchema): string {
  const text = FORMATS[format] ?? `a text${describeCount(minLength, maxLength, 'character')}`
  return pattern === NOT_BLANK ? `${text} that is not blank` : text
}

function describeList({ items, minItems, maxItems, uniqueItems }: TSchema): string {
  const list = `a list${describeCount(minItems, maxItems, uniqueItems ? 'different entry' : 'entry')}`
  return items[Kind] === 'Object' || items[Kind] === 'Unknown'
    ? list
    : `${list}, each ${describeSchema(items)}`
}

function describeRange({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function describeCount(min: number | undefined, max: number | undefined, one: string): string {
  if (min === undefined && max === undefined) return ''
  const many = (max ?? min) === 1 ? one : one.replace(/y$/, 'ie').concat('s')
  if (max === undefined) return ` of at least ${min} ${many}`
  return min === undefined ? ` of at most ${max} ${many}` : ` of ${min} to ${max} ${many}`
}

type Shape = 'arrays' | 'objects' | 'mixed'

export const SHAPES: readonly Shape[] = ['arrays', 'objects', 'mixed']

const LAYERS: Record<Shape, readonly [open: string, close: string][]> = {
  arrays: [['[', ']']],
  objects: [['{"a":', '}']],
  mixed: [
    ['[', ']'],
    ['{"a":', '}'],
  ],
}

/** Valid JSON, nested to the given depth. */
export function nested(depth: number, shape: Shape = 'arrays'): string {
  const layers = Array.from({ length: depth }, (_, level) => LAYERS[shape][level % LAYERS[shape].length])
  const opened = layers.map((layer) => layer?.[0]).join('')
  const closed = layers
    .map((layer) => layer?.[1])
    .toReversed()
    .join('')
  return `${opened}1${closed}`
}

const MEGABYTE = 1024 * 1024

/** Valid, flat JSON of just under a megabyte with as many elements as fit. */
export const WIDE: Record<string, string> = {
  'empty lists': `[${repeat('[],')}[]]`,
  'numbers in a list': `[${repeat('1,')}1]`,
  'unknown members': `{${repeatNumbered((n) => `"${n}":0,`)}"z":0}`,
  'one long text': `{"a":"${'x'.repeat(MEGABYTE - 100)}"}`,
  'at the deepest level allowed': `${'['.repeat(63)}${repeat('[],', 200)}[]${']'.repeat(63)}`,
}

function repeat(part: string, reserved = 10): string {
  return part.repeat(Math.floor((MEGABYTE - reserved) / part.length))
}

function repeatNumbered(part: (n: number) => string): string {
  let text = ''
  for (let n = 0; text.length < MEGABYTE - 30; n += 1) text += part(n)
  return text
}

/** A body of just under a megabyte with one field that repeats an element. */
export function filledField(field: string, element: string): string {
  return `{"${field}":[${repeat(`${element},`, field.length + element.length + 10)}${element}]}`
}

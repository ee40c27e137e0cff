import { options, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

import { AppError } from '../../errors.ts'

/** Fits a crash log of 512 KiB in which every character is escaped. */
export const PAGE_BYTES_MAX = 4 * 1024 ** 2

/** The bytes left for the page being rendered. There is only one, because rendering is synchronous. */
let room = Number.POSITIVE_INFINITY

/** Elements are counted as they are created, so that a page which grows too large is never built. */
options.vnode = ({ type, props }: VNode) => {
  room -= sizeOf(type, props)
  if (room < 0) throw tooLarge()
}

/** Throws as soon as the page turns out to be larger than the bound; the error handler logs it. */
export function renderBounded(page: VNode): string {
  room = PAGE_BYTES_MAX
  try {
    const text = renderToString(page)
    if (text.length > PAGE_BYTES_MAX) throw tooLarge()
    return text
  } finally {
    room = Number.POSITIVE_INFINITY
  }
}

function tooLarge(): AppError {
  return new AppError('internal', {
    message: 'This page is too large to be shown. Go back and open a smaller part of it.',
    cause: new Error(`A page would be larger than ${PAGE_BYTES_MAX} bytes`),
  })
}

/** At most the size of the element's own text and attributes; escaping makes it larger. */
function sizeOf(type: VNode['type'], props: VNode['props']): number {
  const { children } = props
  let size = lengthOf(children)
  if (Array.isArray(children)) for (const child of children as unknown[]) size += lengthOf(child)
  if (typeof type !== 'string') return size
  size += type.length
  for (const name in props) if (name !== 'children') size += name.length + lengthOf(Reflect.get(props, name))
  return size
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  const markup: unknown = typeof value === 'object' && value !== null && Reflect.get(value, '__html')
  return typeof markup === 'string' ? markup.length : 0
}

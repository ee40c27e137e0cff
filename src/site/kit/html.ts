import { type ComponentChildren, Fragment, type FunctionComponent, type VNode } from 'preact'

import { AppError } from '../../errors.ts'

/** Fits a crash log of 512 KiB in which every character is escaped. */
export const PAGE_BYTES_MAX = 4 * 1024 ** 2
/** What most pages fit into. */
const USUAL_BYTES = 256 * 1024
/** What a character of a text takes at most: three bytes, or six if it is escaped. */
const RAW_BYTES_MAX = 3
const ESCAPED_BYTES_MAX = 6
const ASCII_MAX = 0x7f
const ESCAPED: Readonly<Record<number, string>> = { 0x22: '&quot;', 0x26: '&amp;', 0x3c: '&lt;' }
const [QUOTE, AND, SLASH, LESS, IS, MORE] = [0x22, 0x26, 0x2f, 0x3c, 0x3d, 0x3e]

const encoder = new TextEncoder()
const decoder = new TextDecoder()

// Rendering is synchronous, so all pages share one buffer.
let bytes = new Uint8Array(USUAL_BYTES)
let size = 0
/** The values that the providers around the current component give. */
let given = new Map<object, unknown>()

/**
 * Renders preact elements straight to bytes, which takes half the time of a string that is encoded afterwards. Knows
 * what pages use: elements, functions, fragments and contexts. Throws when the page outgrows the bound.
 */
export function renderHtml(page: VNode, doctype = ''): Uint8Array<ArrayBuffer> {
  const [start, outer] = [size, given]
  given = new Map()
  try {
    writeRaw(doctype)
    writeNode(page)
    if (size > PAGE_BYTES_MAX) throw tooLarge()
    return bytes.slice(start, size)
  } finally {
    size = start
    given = outer
    if (start === 0 && bytes.length > USUAL_BYTES) bytes = new Uint8Array(USUAL_BYTES)
  }
}

export function renderText(page: VNode): string {
  return decoder.decode(renderHtml(page))
}

export interface Context<Value> {
  Provider: FunctionComponent<{ value: Value; children: ComponentChildren }>
  initial: Value
}

/** By their providers, which `writeNode` handles itself. */
const contexts = new WeakMap<object, object>()

export function createContext<Value>(initial: Value): Context<Value> {
  const context = { Provider: () => null, initial }
  contexts.set(context.Provider, context)
  return context
}

/** The value of the nearest provider around the component that calls this. */
export function useContext<Value>(context: Context<Value>): Value {
  return given.has(context) ? (given.get(context) as Value) : context.initial
}

type Props = Readonly<Record<string, unknown>> & { children?: ComponentChildren }

function isElement(node: object): node is VNode<Props> {
  return 'type' in node && 'props' in node
}

function writeNode(node: ComponentChildren): void {
  if (typeof node === 'string') return writeEscaped(node)
  if (typeof node === 'number' || typeof node === 'bigint') return writeRaw(String(node))
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const child of node) writeNode(child)
    return
  }
  if (!isElement(node)) return
  const { type, props } = node
  if (typeof type === 'string') return writeElement(type, props)
  if (type === Fragment) return writeNode(props.children)
  const context = contexts.get(type)
  if (context) return writeProvided(context, props)
  writeNode((type as FunctionComponent<Props>)(props))
}

function writeProvided(context: object, { value, children }: Props): void {
  const [isNested, outer] = [given.has(context), given.get(context)]
  given.set(context, value)
  writeNode(children)
  if (isNested) given.set(context, outer)
  else given.delete(context)
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

function writeElement(type: string, props: Props): void {
  const { children } = props
  let markup: string | undefined
  writeByte(LESS)
  writeRaw(type)
  for (const name in props) {
    if (name === 'children') continue
    if (name === 'dangerouslySetInnerHTML') markup = Reflect.get(props[name] as object, '__html') as string
    else writeAttribute(name, props[name] as AttributeValue)
  }
  if (VOID.has(type)) return writeRaw('/>')
  writeByte(MORE)
  if (markup === undefined) writeNode(children)
  else writeRaw(markup)
  writeByte(LESS)
  writeByte(SLASH)
  writeRaw(type)
  writeByte(MORE)
}

/** With these, `true` and `false` are words; elsewhere they mean that the attribute is there or not. */
const WORDED = /^(?:aria-|data-|draggable$|spellcheck$)/

type AttributeValue = string | number | boolean | null | undefined

interface Attribute {
  /** With the space in front. */
  text: string
  isWorded: boolean
}

const KEEPS_CASE = new Set(['viewBox', 'preserveAspectRatio'])
/** Few, because names of attributes stand in the code. */
const attributes = new Map<string, Attribute>()

function describeAttribute(name: string): Attribute {
  const text = ` ${KEEPS_CASE.has(name) ? name : name.toLowerCase()}`
  const attribute = { text, isWorded: WORDED.test(name) }
  attributes.set(name, attribute)
  return attribute
}

function writeAttribute(name: string, value: AttributeValue): void {
  if (value === undefined || value === null) return
  const { text, isWorded } = attributes.get(name) ?? describeAttribute(name)
  if (value === false && !isWorded) return
  writeRaw(text)
  if (value === '' || (value === true && !isWorded)) return
  writeByte(IS)
  writeByte(QUOTE)
  writeEscaped(typeof value === 'string' ? value : String(value))
  writeByte(QUOTE)
}

function writeByte(byte: number): void {
  reserve(1)
  bytes[size] = byte
  size += 1
}

/** For texts that are markup or have nothing to escape. */
function writeRaw(text: string): void {
  reserve(text.length * RAW_BYTES_MAX)
  const into = bytes
  let at = size
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > ASCII_MAX) {
      at += encoder.encodeInto(text.slice(index), into.subarray(at)).written
      break
    }
    into[at] = code
    at += 1
  }
  size = at
}

function writeEscaped(text: string): void {
  reserve(text.length * ESCAPED_BYTES_MAX)
  const into = bytes
  let at = size
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > ASCII_MAX) {
      const start = index
      while (text.charCodeAt(index + 1) > ASCII_MAX) index += 1
      at += encoder.encodeInto(text.slice(start, index + 1), into.subarray(at)).written
    } else if (code === QUOTE || code === AND || code === LESS) {
      size = at
      writeRaw(ESCAPED[code] ?? '')
      at = size
    } else {
      into[at] = code
      at += 1
    }
  }
  size = at
}

/** Makes room before a text is written, so that a page which grows too large is never built. */
function reserve(count: number): void {
  const needed = size + count
  if (needed <= bytes.length) return
  if (size > PAGE_BYTES_MAX || count > PAGE_BYTES_MAX * ESCAPED_BYTES_MAX) throw tooLarge()
  const larger = new Uint8Array(Math.max(2 * bytes.length, needed))
  larger.set(bytes.subarray(0, size))
  bytes = larger
}

function tooLarge(): AppError {
  return new AppError('internal', {
    message: 'This page is too large to be shown. Go back and open a smaller part of it.',
    cause: new Error(`A page would be larger than ${PAGE_BYTES_MAX} bytes`),
  })
}

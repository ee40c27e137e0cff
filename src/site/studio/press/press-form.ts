import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { AppError, invalidFields, type Issue } from '../../../errors.ts'
import { sayOnPage } from '../../kit/field-words.ts'
import { textOf } from '../../kit/form-state.ts'

const SEPARATOR = ' | '

/** The parts of list entries: lists are typed with one entry per line, its parts separated by a bar. */
const PARTS = {
  links: ['label', 'url'],
  quotes: ['text', 'source', 'url'],
  team: ['name', 'role', 'url'],
} as const
type ListName = keyof typeof PARTS

export function showLines(kit: PressKitValue, name: ListName): string {
  const entries: readonly object[] = kit[name]
  return entries
    .map((entry) => {
      const texts = PARTS[name].map((part) => String(Reflect.get(entry, part) ?? ''))
      return texts.join(SEPARATOR).replace(/(?: \| )+$/, '')
    })
    .join('\n')
}

/** The body of the API; an empty part is left out. */
export function parseKit(form: URLSearchParams): Record<string, unknown> {
  const plain = ['release_date', 'contact_email', 'website', 'trailer_url', 'history'] as const
  return {
    ...Object.fromEntries(plain.map((name) => [name, textOf(form, name).replaceAll('\r\n', '\n').trim()])),
    features: linesOf(form, 'features'),
    awards: linesOf(form, 'awards'),
    links: parseEntries(form, 'links'),
    quotes: parseEntries(form, 'quotes'),
    team: parseEntries(form, 'team'),
  }
}

function parseEntries(form: URLSearchParams, name: ListName): Record<string, string>[] {
  return linesOf(form, name).map((line) => {
    const texts = line.split('|').map((text) => text.trim())
    return Object.fromEntries(
      PARTS[name].flatMap((part, index) => (texts[index] ? [[part, texts[index]]] : [])),
    )
  })
}

function linesOf(form: URLSearchParams, name: string): string[] {
  return textOf(form, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Moves a fault of one entry to the field that holds the list, saying which line it is. */
export function placeLines(error: unknown, fieldOf?: (index: number) => string | undefined): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.data?.issues)) return error
  const issues = (error.data.issues as Issue[]).map((issue) => {
    const [list = '', index] = issue.path.split('.')
    if (index === undefined) return issue
    const field = fieldOf?.(Number(index))
    return { path: field ?? list, message: sayOnPage(issue, field === undefined ? 'line' : null) }
  })
  return invalidFields(issues, { kind: error.kind })
}

import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { linesOf, parseEntries, showLines, textOf } from '../../kit/form-state.ts'

/** The parts of list entries. */
const PARTS = {
  links: ['label', 'url'],
  quotes: ['text', 'source', 'url'],
  team: ['name', 'role', 'url'],
} as const
type ListName = keyof typeof PARTS

export function showEntries(kit: PressKitValue, name: ListName): string {
  return showLines(kit[name], PARTS[name])
}

/** The body of the API; an empty part is left out. */
export function parseKit(form: URLSearchParams): Record<string, unknown> {
  const plain = ['release_date', 'contact_email', 'website', 'trailer_url', 'history'] as const
  const entries = (name: ListName) => parseEntries(form, name, PARTS[name])
  return {
    ...Object.fromEntries(plain.map((name) => [name, textOf(form, name).replaceAll('\r\n', '\n').trim()])),
    features: linesOf(form, 'features'),
    awards: linesOf(form, 'awards'),
    links: entries('links'),
    quotes: entries('quotes'),
    team: entries('team'),
  }
}

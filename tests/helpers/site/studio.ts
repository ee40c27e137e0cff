import { parseDocument } from 'htmlparser2'

import type { GameRow } from '../listings.ts'
import type { Person } from '../people.ts'

type Fields = Readonly<Record<string, string | readonly string[]>>

/** Submits a form of the studio like a browser; a list becomes several values of one field. */
export async function submitForm(
  person: Person,
  path: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) body.append(name, one)
  }
  return await person.fetch(path, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { accept: 'text/html', ...headers },
  })
}

export async function openTab(person: Person, game: GameRow, tab: string): Promise<string> {
  const answer = await person.fetch(`/studio/${game.vanityName}/${tab}`, { headers: { accept: 'text/html' } })
  if (answer.status !== 200) throw new Error(`${tab} answered ${answer.status}: ${await answer.text()}`)
  return await answer.text()
}

/** The fault that a page shows at one of its fields. */
export function faultOf(page: string, id: string): string | null {
  return new RegExp(`id="${id}-fault"[^>]*>([^<]*)<`).exec(page)?.[1] ?? null
}

/** What a browser would send for a form of the page; fields with several values are lists. */
export function readFields(page: string, formId: string): Record<string, string | string[]> {
  const fields = new URLSearchParams()
  const form = find(parseDocument(page), ({ name, attribs }) => name === 'form' && attribs.id === formId)[0]
  if (!form) throw new Error(`The page has no form ${formId}`)
  for (const { name: tag, attribs, children } of find(form, ({ attribs }) => attribs.name !== undefined)) {
    const add = (value: string) => fields.append(attribs.name ?? '', value)
    if (tag === 'textarea') add(textOf(children))
    const isBox = attribs.type === 'checkbox' || attribs.type === 'radio'
    if (tag === 'input' && (!isBox || 'checked' in attribs)) add(attribs.value ?? '')
    if (tag === 'select') {
      const options = find({ children }, (node) => node.name === 'option')
      const chosen = options.find((option) => 'selected' in option.attribs) ?? options[0]
      if (chosen) add(chosen.attribs.value ?? '')
    }
  }
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const values = fields.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

interface Node {
  name: string
  attribs: Record<string, string>
  children: unknown[]
}

function find(root: { children: unknown[] }, fits: (node: Node) => boolean): Node[] {
  return root.children.flatMap((child) => {
    if (!isNode(child)) return []
    return fits(child) ? [child, ...find(child, fits)] : find(child, fits)
  })
}

function isNode(child: unknown): child is Node {
  return typeof child === 'object' && child !== null && 'attribs' in child
}

function textOf(children: unknown[]): string {
  return children.map((child) => (child as { data?: string }).data ?? '').join('')
}

import type { GameRow } from './listings.ts'
import type { Person } from './people.ts'

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

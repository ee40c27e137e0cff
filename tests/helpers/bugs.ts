import type { BugReporter, BugReporterInput } from '../../src/features/bugs/settings/model.ts'
import type { TicketDetails } from '../../src/features/bugs/tickets/model.ts'
import type { Delivery } from '../../src/features/bugs/webhooks/model.ts'
import { drawPng } from './files/pictures.ts'
import { readData } from './json.ts'
import type { Person } from './people.ts'
import type { TestServer } from './server.ts'

export type FormFields = Record<string, string | Blob>

/** Turns the reporter on, unless told otherwise. */
export async function setReporter(
  owner: Person,
  gameUid: string,
  input: BugReporterInput = { enabled: true },
): Promise<BugReporter & { signing_key: string }> {
  const answer = await owner.json('PUT', `/api/v1/private/games/${gameUid}/bug-reporter`, input)
  if (answer.status !== 200) throw new Error(`The settings answered ${answer.status}: ${await answer.text()}`)
  const settings = await readData<BugReporter>(answer)
  return { ...settings, signing_key: settings.signing_key ?? '' }
}

/** A player key that may file bugs. */
export async function createBugKey(person: Person): Promise<string> {
  const body = { label: 'Game', scopes: ['player:bugs'] }
  const answer = await person.json('POST', '/api/v1/private/player-keys', body)
  return (await readData<{ key: string }>(answer)).key
}

export function makeForm(fields: FormFields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** Sends a report as a game does. */
export async function report(
  server: Pick<TestServer, 'fetch'>,
  bearer: string,
  game: string,
  fields: FormFields = { message: 'The lamp stays dark.' },
): Promise<Response> {
  return await server.fetch(`/api/v1/games/${game}/bugs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: makeForm(fields),
  })
}

export async function fileTicket(
  server: TestServer,
  bearer: string,
  game: string,
  fields?: FormFields,
): Promise<string> {
  const answer = await report(server, bearer, game, fields)
  if (answer.status !== 201) throw new Error(`The report answered ${answer.status}: ${await answer.text()}`)
  return (await readData<{ ticket_uid: string }>(answer)).ticket_uid
}

export async function readTicket(owner: Person, game: string, uid: string): Promise<TicketDetails> {
  return await readData<TicketDetails>(await owner.fetch(`/api/v1/private/games/${game}/bugs/${uid}`))
}

export async function readDeliveries(owner: Person, game: string): Promise<Delivery[]> {
  const answer = await owner.fetch(`/api/v1/private/games/${game}/bug-reporter/deliveries?page_size=50`)
  return (await readData<{ items: Delivery[] }>(answer)).items
}

export async function drawScreenshot(): Promise<Blob> {
  return await drawPng(64, 36)
}

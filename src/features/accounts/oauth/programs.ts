import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { showProgramName } from '../../../lib/text/names.ts'
import { Program } from '../model.ts'
import * as queries from './oauth-queries.ts'

export async function listPrograms(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<Program>> {
  const programs = await queries.listPrograms(deps.db, user.userUid, page)
  return mapPage(programs, (row) =>
    respond(Program, row, {
      name: showProgramName(row.name),
      connected_at: row.connectedAt ?? new Date(0),
    }),
  )
}

export async function disconnectProgram(deps: Deps, user: WebsiteUser, clientId: string): Promise<void> {
  if (!(await queries.deleteConsent(deps.db, user.userUid, clientId))) throw new AppError('not_found')
}

/** The name of a program; null if it is unknown or did not register this redirect address. */
export async function findProgram(deps: Deps, clientId: string, redirect: string): Promise<string | null> {
  const client = await queries.findOauthClient(deps.db, clientId)
  return client && isRegisteredRedirect(client.redirectUris ?? [], redirect)
    ? showProgramName(client.name)
    : null
}

/** Whether a program registered this address; programs on the person's own machine may use any port (RFC 8252). */
function isRegisteredRedirect(registered: readonly string[], asked: string): boolean {
  return registered.includes(asked) || registered.some((uri) => anyPort(uri) === (anyPort(asked) ?? ''))
}

function anyPort(uri: string): string | null {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri)
  return match && `${match[1]}${match[2]}`
}

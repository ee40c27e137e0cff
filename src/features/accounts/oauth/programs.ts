import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { showProgramName } from '../../../lib/text/names.ts'
import type { Program } from '../model.ts'
import * as queries from './oauth-queries.ts'

export async function listPrograms(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<Program>> {
  const [rows, total] = await Promise.all([
    queries.listPrograms(deps.db, user.userUid, page),
    queries.countPrograms(deps.db, user.userUid),
  ])
  return paged(page, rows.map(toProgram), total)
}

export async function disconnectProgram(deps: Deps, user: WebsiteUser, clientId: string): Promise<void> {
  if (!(await queries.deleteConsent(deps.db, user.userUid, clientId))) throw new AppError('not_found')
}

function toProgram(row: queries.ProgramRow): Program {
  return {
    client_id: row.clientId,
    name: showProgramName(row.name),
    scopes: row.scopes,
    connected_at: (row.createdAt ?? new Date(0)).toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  }
}

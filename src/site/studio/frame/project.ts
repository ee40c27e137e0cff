import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { getListing, type Revised } from '../../../features/listings/page/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { requireUser } from '../../kit/signed-in.ts'

/** A listing that the visitor may edit. */
export interface Project extends Revised {
  user: WebsiteUser
}

/** Everyone else gets the missing page, also for a listing whose store page they may open. */
export async function openProject(deps: Deps, { actor }: Visit, ref: string): Promise<Project> {
  const user = requireUser(actor)
  try {
    return { user, ...(await getListing(deps, user, ref)) }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'forbidden') throw new AppError('not_found')
    throw error
  }
}

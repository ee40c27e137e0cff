import type { Deps } from '../../deps.ts'
import { type JamAccess, openJam } from '../../features/jams/access.ts'
import type { JamHead, OwnJam } from '../../features/jams/jams/model.ts'
import { toJamHead, toOwnJam } from '../../features/jams/jams/responses.ts'
import type { PageContext } from '../kit/pages.ts'

/** A jam as pages of it show it to this visitor. */
export interface ShownJam<Shown extends JamHead = JamHead> {
  jam: Shown
  revision: number
  /** The clock of the database, in milliseconds. */
  now: number
  /** Whether the visitor hosts it or runs the store. */
  mayManage: boolean
}

type Services = Pick<Deps, 'db' | 'config'>
type Asked = Pick<PageContext, 'visit' | 'params'>

/** What the frame of its pages shows, with one statement. */
export async function openShownJam(services: Services, context: Asked): Promise<ShownJam> {
  return (await openAccess(services, context)).shown
}

/** The same, with the access for services that need it. */
export async function openAccess({ db, config }: Services, { visit, params }: Asked) {
  const access = await openJam(db, visit.actor, params['jam'] ?? '')
  return { access, shown: toShown(access, toJamHead(config.baseUrl, access)) }
}

/** With all that its own page and the forms of hosts show. */
export async function openWholeJam(
  { db, config }: Services,
  { visit, params }: Asked,
): Promise<ShownJam<OwnJam>> {
  const access = await openJam(db, visit.actor, params['jam'] ?? '')
  return toShown(access, await toOwnJam(db, config.baseUrl, access))
}

function toShown<Shown extends JamHead>(access: JamAccess, jam: Shown): ShownJam<Shown> {
  const { revision } = access.jam
  return { jam, revision, now: access.now.getTime(), mayManage: access.mayManage }
}

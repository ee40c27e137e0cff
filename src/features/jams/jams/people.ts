import type { Transaction } from '../../../db/client.ts'
import type { JamRole } from '../../../domain/jams.ts'
import { invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { show } from '../../../lib/text/show.ts'
import type { JamPatch, PersonRef } from './model.ts'
import * as queries from './queries.ts'

interface Named {
  uid: string
  username: string
}

export interface JamPeople {
  hosts: Named[]
  judges: Named[]
}

type Sent = Pick<JamPatch, 'hosts' | 'judges'>

/**
 * The hosts and judges after a change. The maker of a new jam is always its first host. A jam keeps at least one host,
 * unless it lost all of them with their accounts.
 */
export async function parsePeople(
  tx: Transaction,
  sent: Sent,
  known: JamPeople,
  makerUid: string | null,
): Promise<JamPeople> {
  const names = [...(sent.hosts ?? []), ...(sent.judges ?? [])].map(nameOf)
  const found = new Map((await queries.listUsersNamed(tx, names)).map((user) => [user.username, user]))
  const issues: Issue[] = []
  const parse = (field: 'hosts' | 'judges') =>
    sent[field]?.flatMap((ref, index) => {
      const user = found.get(nameOf(ref))
      if (user) return user
      issues.push(issueAt(`${field}.${index}`, `must be the name of an account, not ${show(nameOf(ref))}.`))
      return []
    }) ?? known[field]
  const people = { hosts: parse('hosts'), judges: parse('judges') }
  if (makerUid === null && sent.hosts?.length === 0 && known.hosts.length > 0)
    issues.push(issueAt('hosts', 'must name at least one: the last host cannot leave.'))
  if (issues.length > 0) throw invalidFields(issues)
  if (makerUid !== null) people.hosts.unshift({ uid: makerUid, username: '' })
  return people
}

function nameOf(ref: PersonRef): string {
  return typeof ref === 'string' ? ref.trim() : ref.username.trim()
}

/** Returns what changed, as the page of the jam tells it. */
export async function savePeople(
  tx: Transaction,
  jamUid: string,
  before: JamPeople,
  after: JamPeople,
): Promise<string[]> {
  return [
    ...(await saveRole(tx, jamUid, 'host', before.hosts, after.hosts)),
    ...(await saveRole(tx, jamUid, 'judge', before.judges, after.judges)),
  ]
}

async function saveRole(
  tx: Transaction,
  jamUid: string,
  role: JamRole,
  before: readonly Named[],
  after: readonly Named[],
): Promise<string[]> {
  const isIn = (people: readonly Named[]) => (one: Named) => people.some(({ uid }) => uid === one.uid)
  const gone = before.filter((one) => !isIn(after)(one))
  const added = after.filter((one) => !isIn(before)(one))
  await queries.removePeople(
    tx,
    jamUid,
    role,
    gone.map(({ uid }) => uid),
  )
  await queries.addPeople(
    tx,
    jamUid,
    role,
    added.map(({ uid }) => uid),
  )
  return [
    ...gone.map(({ username }) => `${username} is no longer a ${role}.`),
    ...added.map(({ username }) => `${username} is a ${role} now.`),
  ]
}

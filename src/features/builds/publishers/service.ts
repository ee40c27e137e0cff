import type { Config } from '../../../config/config.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { CHANNEL_MAX, isChannel } from '../../../domain/builds/channels.ts'
import { PROVIDER_ISSUERS, type PublisherProvider } from '../../../domain/builds/publishers.ts'
import { AppError, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { respond } from '../../../lib/respond.ts'
import { show } from '../../../lib/text/show.ts'
import { changeGame, openGame, recordChange } from '../../games/service.ts'
import { revokeIssuedPairs } from '../deploy-keys/shared-queries.ts'
import type { Conditions, RepositoryIds } from './claims.ts'
import { Publisher, type PublisherInput, type Publishers, PUBLISHERS_MAX, type Publishing } from './model.ts'
import * as queries from './queries.ts'

export async function listPublishers(deps: Deps, actor: WebsiteUser, ref: string): Promise<Publishers> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const items = (await queries.listPublishers(deps.db, game.uid)).map(toPublisher)
  return {
    items,
    total: items.length,
    page: 1,
    page_size: PUBLISHERS_MAX,
    keys_allowed: game.keysAllowed,
    issuers: [...deps.config.trustedIssuers],
  }
}

export async function addPublisher(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  input: PublisherInput,
): Promise<Publisher> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    if (!actor.developerMode) throw new AppError('developer_mode_needed')
    const publisher = parsePublisher(deps.config, input)
    const present = await queries.listPublishers(tx, game.uid)
    if (present.length >= PUBLISHERS_MAX) {
      throw new AppError('taken', {
        message: `This game has ${PUBLISHERS_MAX} trusted publishers already. Remove one first.`,
      })
    }
    if (present.some((row) => isSame(row, publisher)))
      throw new AppError('taken', { message: 'This trusted publisher is there already.' })
    const values = { ...publisher, gameUid: game.uid, addedBy: actor.userUid }
    const row = await queries.insertPublisher(tx, values)
    await recordChange(tx, actor, game.uid, { kind: 'publisher_added', subject: describe(row) })
    return toPublisher({ ...row, addedByName: actor.username, isOrphaned: false })
  })
}

/** Its keys end at once; uploads that they began cannot be finished. */
export async function removePublisher(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
): Promise<void> {
  await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const removed = isUid(uid) ? await queries.deletePublisher(tx, game.uid, uid) : undefined
    if (!removed) throw new AppError('not_found')
    await recordChange(tx, actor, game.uid, { kind: 'publisher_removed', subject: describe(removed) })
  })
}

/** For a repository that was moved or recreated: the next exchange records its new ids. */
export async function forgetRepository(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
): Promise<Publisher> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const row = (await queries.listPublishers(tx, game.uid)).find((one) => one.uid === uid)
    if (!row) throw new AppError('not_found')
    await queries.forgetIds(tx, uid)
    await recordChange(tx, actor, game.uid, { kind: 'publisher_forgot', subject: describe(row) })
    return toPublisher({ ...row, repositoryId: null, repositoryOwnerId: null })
  })
}

/** Turning deploy keys off revokes those that people issued; pipelines then need a trusted publisher. */
export async function setPublishing(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  { keys_allowed: keysAllowed }: Publishing,
): Promise<Publishing> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    if (game.keysAllowed !== keysAllowed) {
      await queries.setKeysAllowed(tx, game.uid, keysAllowed)
      const subject = keysAllowed ? 'deploy keys allowed' : 'only trusted publishers'
      await recordChange(tx, actor, game.uid, { kind: 'publishing_changed', subject })
    }
    if (!keysAllowed) await revokeIssuedPairs(tx, game.uid)
    return { keys_allowed: keysAllowed }
  })
}

function isSame(row: queries.ShownPublisher, publisher: NewPublisher): boolean {
  const fields = ['provider', 'issuer', 'repository', 'workflow', 'environment', 'ref'] as const
  return (
    fields.every((field) => row[field] === publisher[field]) &&
    row.channels?.toSorted().join() === publisher.channels?.toSorted().join()
  )
}

function describe({ repository, workflow, ref }: queries.PublisherRow): string {
  return [repository, workflow, ref].filter((part) => part !== null).join(' ')
}

function toPublisher(row: queries.ShownPublisher): Publisher {
  return respond(Publisher, row, { added_by: row.addedByName })
}

interface NewPublisher extends Omit<Conditions, keyof RepositoryIds> {
  channels: string[] | null
}

const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+$/
/** Visible characters without spaces; `*` is allowed only once, at the end. */
const PATTERN = /^[!-)+-~]*\*?$/
const PLAIN = /^[^\p{C}]+$/u

/** Whether the operator still lets pipelines of this issuer publish. */
export function isTrustedIssuer(
  { trustedIssuers }: Pick<Config, 'trustedIssuers'>,
  { provider, issuer }: { provider: PublisherProvider; issuer: string },
): boolean {
  return issuer === PROVIDER_ISSUERS[provider] || trustedIssuers.includes(issuer)
}

/** Reports every fault at once. */
function parsePublisher(
  config: Pick<Config, 'trustedIssuers'>,
  { provider, repository, ...given }: PublisherInput,
): NewPublisher {
  const issues: Issue[] = []
  const check = (isFine: boolean, path: string, fault: string) => {
    if (!isFine) issues.push(issueAt(path, fault))
  }
  const issuer = given.issuer?.trim() || PROVIDER_ISSUERS[provider] || ''
  const [workflow, environment, ref] = [tidy(given.workflow), tidy(given.environment), tidy(given.ref)]
  const channels = given.channels?.length ? [...new Set(given.channels)] : null
  check(isTrustedIssuer(config, { provider, issuer }), 'issuer', describeIssuers(config, provider, issuer))
  check(REPOSITORY.test(repository), 'repository', `must be like "moss/garden", not ${show(repository)}.`)
  check(
    workflow === null || PATTERN.test(workflow),
    'workflow',
    `must be the name of a file such as "release.yml", with one * at its end at most, not ${show(workflow)}.`,
  )
  check(
    environment === null || PLAIN.test(environment),
    'environment',
    'must not contain characters that cannot be seen.',
  )
  check(
    ref === null || (PATTERN.test(ref) && (ref.startsWith('refs/') || ref === '*')),
    'ref',
    `must be like "refs/heads/main" or "refs/tags/v*", with one * at its end at most, not ${show(ref)}.`,
  )
  for (const [index, channel] of (channels ?? []).entries()) {
    const fault = `must be 1 to ${CHANNEL_MAX} characters of a-z, 0-9, - and _, not ${show(channel)}.`
    check(isChannel(channel), `channels.${index}`, fault)
  }
  if (issues.length > 0) throw invalidFields(issues)
  return { provider, issuer, repository, workflow, environment, ref, channels }
}

function tidy(given: string | null | undefined): string | null {
  return given?.trim() || null
}

function describeIssuers(
  { trustedIssuers }: Pick<Config, 'trustedIssuers'>,
  provider: PublisherProvider,
  given: string,
): string {
  const known = [PROVIDER_ISSUERS[provider] ?? [], trustedIssuers].flat()
  const not = given === '' ? '' : `, not ${show(given)}`
  return known.length === 0
    ? 'must be one that the operator of this store trusts (TRUSTED_ISSUERS), and there is none. Ask the operator.'
    : `must be one that this store trusts: ${known.join(', ')}${not}.`
}

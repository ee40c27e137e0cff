import type { Config } from '../../../config.ts'
import { CHANNEL_MAX, isChannel } from '../../../domain/builds/channels.ts'
import { PROVIDER_ISSUERS, type PublisherProvider } from '../../../domain/builds/publishers.ts'
import { invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { show } from '../../../lib/text/show.ts'
import type { Conditions, RepositoryIds } from './claims.ts'
import type { PublisherInput } from './model.ts'

export interface NewPublisher extends Omit<Conditions, keyof RepositoryIds> {
  channels: string[] | null
}

const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+$/
/** Visible characters without spaces, and one `*` at the end at most. */
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
export function readPublisher(
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

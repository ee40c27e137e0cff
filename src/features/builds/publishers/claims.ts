import { type BuildOrigin, type PublisherProvider, repositoryUrl } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { show } from '../../../lib/text/show.ts'

export type Claims = Readonly<Record<string, unknown>>

/** The conditions of a publisher; null is any. */
export interface Conditions {
  provider: PublisherProvider
  issuer: string
  repository: string
  workflow: string | null
  environment: string | null
  ref: string | null
  /** The provider's ids of the repository and its owner; null until the first exchange. */
  repositoryId: string | null
  repositoryOwnerId: string | null
}

/** A claim that differs from what is required. */
interface Mismatch {
  claim: string
  expected: string
  got: string
}

/** The names of the claims differ between providers. Custom issuers must use GitHub's names. */
const GITHUB_NAMES = {
  repository: 'repository',
  repositoryId: 'repository_id',
  repositoryOwnerId: 'repository_owner_id',
  workflow: 'workflow_ref',
  environment: 'environment',
  ref: 'ref',
  run: 'run_id',
}
const NAMES: Readonly<Record<PublisherProvider, typeof GITHUB_NAMES>> = {
  github: GITHUB_NAMES,
  gitlab: {
    repository: 'project_path',
    repositoryId: 'project_id',
    repositoryOwnerId: 'namespace_id',
    workflow: 'ci_config_ref_uri',
    environment: 'environment',
    ref: 'ref_path',
    run: 'pipeline_id',
  },
  custom: GITHUB_NAMES,
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const RUN = /^\d{1,20}$/
/** Ids of GitHub and GitLab are numbers. */
const ID = /^[\w-]{1,64}$/

/** The first condition that the token does not meet, with how many it met before; null if it meets all. */
export function findMismatch(conditions: Conditions, claims: Claims): (Mismatch & { met: number }) | null {
  const names = NAMES[conditions.provider]
  const ids = parseIds(conditions, claims)
  const checks: [claim: string, wanted: string | null, got: unknown][] = [
    [names.repository, conditions.repository, claims[names.repository]],
    [names.repositoryId, conditions.repositoryId, ids.repositoryId ?? claims[names.repositoryId]],
    [
      names.repositoryOwnerId,
      conditions.repositoryOwnerId,
      ids.repositoryOwnerId ?? claims[names.repositoryOwnerId],
    ],
    [names.workflow, conditions.workflow, parseWorkflowFile(conditions, claims) ?? claims[names.workflow]],
    [names.environment, conditions.environment, claims[names.environment]],
    [names.ref, conditions.ref, claims[names.ref]],
  ]
  const met = checks.findIndex(([claim, wanted, got]) => !fits(wanted, got, isPattern(names, claim)))
  const [claim = '', wanted, got] = checks[met] ?? []
  return met === -1 ? null : { ...mismatch(claim, show(wanted), got), met }
}

/**
 * The origin recorded for files of this pipeline. Throws if the token does not say where the code is from.
 */
export function parseOrigin({ provider, issuer, repository }: Conditions, claims: Claims): BuildOrigin {
  const names = NAMES[provider]
  const { sha } = claims
  const [ref, workflow, run] = [claims[names.ref], claims[names.workflow], claims[names.run]]
  if (typeof sha !== 'string' || !COMMIT.test(sha))
    throw refuseClaim(mismatch('sha', 'the commit in 40 or 64 hex characters', sha))
  if (typeof ref !== 'string' || !ref.startsWith('refs/'))
    throw refuseClaim(mismatch(names.ref, 'a branch or tag such as "refs/heads/main"', ref))
  const home = repositoryUrl({ issuer, repository })
  const runs = provider === 'gitlab' ? '-/pipelines' : 'actions/runs'
  return {
    provider,
    issuer,
    repository,
    commit: sha,
    ref,
    workflow: typeof workflow === 'string' ? workflow : null,
    run_url: isRun(run) ? `${home}/${runs}/${run}` : null,
  }
}

export type RepositoryIds = Pick<Conditions, 'repositoryId' | 'repositoryOwnerId'>

/** Unlike names, ids cannot be registered again by others. Self-hosted forges may send none. */
export function parseIds({ provider }: Pick<Conditions, 'provider'>, claims: Claims): RepositoryIds {
  const names = NAMES[provider]
  return {
    repositoryId: parseId(claims[names.repositoryId]),
    repositoryOwnerId: parseId(claims[names.repositoryOwnerId]),
  }
}

function parseId(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && ID.test(text) ? text : null
}

/** Accepts a number or a string of digits. */
function isRun(value: unknown): value is string | number {
  return (typeof value === 'string' || typeof value === 'number') && RUN.test(String(value))
}

export function mismatch(claim: string, expected: string, got: unknown): Mismatch {
  return { claim, expected, got: got === undefined ? 'nothing' : show(got) }
}

/** Names the claim that did not match; never shows the token. */
export function refuseClaim({ claim, expected, got }: Mismatch): AppError {
  return new AppError('pipeline_token_refused', {
    message: `The claim ${claim} of the token does not fit: expected ${expected}, got ${got}. Compare the pipeline with the Pipelines tab of the game.`,
    data: { claim, expected, got },
  })
}

/** `moss/garden/.github/workflows/release.yml@refs/heads/main`, or `git.example/moss/garden//ci.yml@refs/heads/main`. */
function parseWorkflowFile({ provider, repository }: Conditions, claims: Claims): string | null {
  const value = claims[NAMES[provider].workflow]
  if (typeof value !== 'string') return null
  const [, path = ''] = /^(.*?)@(?:refs\/|[0-9a-f]{40})/.exec(value) ?? []
  if (provider === 'gitlab') {
    const [project = '', file = ''] = path.split('//', 2)
    return project.endsWith(`/${repository}`) && file ? file : null
  }
  const [, file] = /^\.[a-z]+\/workflows\/(.+)$/.exec(path.slice(repository.length + 1)) ?? []
  return path.startsWith(`${repository}/`) && file ? file : null
}

function isPattern({ workflow, ref }: typeof GITHUB_NAMES, claim: string): boolean {
  return claim === workflow || claim === ref
}

function fits(wanted: string | null, got: unknown, mayEnd: boolean): boolean {
  if (wanted === null) return true
  if (typeof got !== 'string') return false
  return mayEnd && wanted.endsWith('*') ? got.startsWith(wanted.slice(0, -1)) : got === wanted
}

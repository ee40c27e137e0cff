/** Who runs the pipeline of a trusted publisher. */
export const PUBLISHER_PROVIDERS = ['github', 'gitlab', 'custom'] as const
export type PublisherProvider = (typeof PUBLISHER_PROVIDERS)[number]

/** The issuers of the providers that everybody shares; others are named by the operator. */
export const PROVIDER_ISSUERS: Readonly<Record<PublisherProvider, string | null>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  custom: null,
}

/** What a pipeline proved about itself; kept with each file that it uploads. */
export interface BuildOrigin {
  provider: PublisherProvider
  issuer: string
  repository: string
  commit: string
  ref: string
  /** The workflow's file with its repository and ref, as the token names it. */
  workflow: string | null
  run_url: string | null
}

const SERVICE_NAMES: Readonly<Record<PublisherProvider, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI/CD',
  custom: '',
}

/** The name that people know the service by. A provider's name is used for its own issuer only. */
export function nameBuilder({ provider, issuer }: Pick<BuildOrigin, 'provider' | 'issuer'>): string {
  return issuer === PROVIDER_ISSUERS[provider] ? SERVICE_NAMES[provider] : new URL(issuer).host
}

/** The page of the repository: elsewhere than the issuer only at GitHub. */
export function repositoryUrl({ issuer, repository }: Pick<BuildOrigin, 'issuer' | 'repository'>): string {
  const forge = issuer === PROVIDER_ISSUERS.github ? 'https://github.com' : new URL(issuer).origin
  return `${forge}/${repository}`
}

export function commitUrl(origin: BuildOrigin): string {
  return `${repositoryUrl(origin)}/${origin.provider === 'gitlab' ? '-/commit' : 'commit'}/${origin.commit}`
}

export const CI_PROVIDERS = ['github', 'gitlab'] as const
export type CiProvider = (typeof CI_PROVIDERS)[number]

/** Where each provider looks for it. */
export const CI_PATHS: Readonly<Record<CiProvider, string>> = {
  github: '.github/workflows/shelf.yml',
  gitlab: '.gitlab-ci.yml',
}

/** A pipeline that pushes what is tagged, without a secret. */
export function writePipeline(provider: CiProvider, server: string): string {
  return provider === 'github' ? githubWorkflow(server) : gitlabPipeline(server)
}

function githubWorkflow(server: string): string {
  return `name: shelf
on:
  push:
    tags: ['v*']
permissions:
  contents: read
  id-token: write # lets the job prove to ${server} who it is
jobs:
  push:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      # Build your game here, into the folders that shelf.json names.
      - run: curl -fsSL ${server}/install.sh | sh
      - run: ~/.local/bin/shelf push --wait
`
}

function gitlabPipeline(server: string): string {
  return `push:
  image: debian:stable
  rules:
    - if: $CI_COMMIT_TAG
  id_tokens:
    SHELF_ID_TOKEN: # lets the job prove to ${server} who it is
      aud: ${server}
  script:
    - apt-get update && apt-get install -y ca-certificates curl git
    # Build your game here, into the folders that shelf.json names.
    - curl -fsSL ${server}/install.sh | sh
    - ~/.local/bin/shelf push --wait
`
}

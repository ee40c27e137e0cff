import type { DeployKey, NewDeployKey } from '../../../features/builds/deploy-keys/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Pager } from '../../components/pager.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { FaultSummary, PostForm } from '../../kit/form.tsx'
import { dateText } from '../../kit/labels.ts'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'

interface DeployKeysProps {
  project: Project
  state: PageState
  keys: Paged<DeployKey>
  baseUrl: string
  /** Shown once. */
  newKey?: NewDeployKey
}

export function DeployKeysPage({ project, state, keys, baseUrl, newKey }: DeployKeysProps) {
  const { visit } = state
  const { listing, user } = project
  return (
    <StudioPage
      {...{ visit, project }}
      tab="deploy-keys"
      lead="A deploy key lets a pipeline upload builds, symbols and images of this project, and nothing else. A new pair ends all earlier ones."
      scripts={['studio']}
    >
      <FaultSummary form={formOf(state, 'issue')} />
      {newKey === undefined ? null : <NewKey {...{ newKey, baseUrl }} game={listing.vanity_name} />}
      <FieldGroup id="issue" title="Issue a key">
        {user.developerMode ? (
          <PostForm action={`/studio/${listing.vanity_name}/deploy-keys`}>
            <p class="small">
              The secret is shown once, on the next page. Pipelines with an earlier key stop until they get
              the new one.
            </p>
            <button type="submit" class="button">
              Issue a deploy key
            </button>
          </PostForm>
        ) : (
          <p>
            Deploy keys need developer mode. <a href="/account#profile">Turn it on in your account</a>, then
            come back.
          </p>
        )}
      </FieldGroup>
      <FieldGroup id="keys" title="Keys">
        {keys.total === 0 ? (
          <p class="quiet">No key was issued yet.</p>
        ) : (
          <ul class="records">
            {keys.items.map(({ uid, last4, created_at, revoked_at, issued_by }) => (
              <li key={uid}>
                <div>
                  <p>
                    Ends in <code>{last4}</code>
                  </p>
                  <p class="quiet small">
                    {dateText(created_at)}
                    {issued_by === null ? '' : `, by ${issued_by.username}`}
                    {issued_by?.has_access === false ? ', who is no longer on the team' : ''}
                  </p>
                </div>
                <span class={revoked_at === null ? 'badge good' : 'badge'}>
                  {revoked_at === null ? 'Works' : `Revoked ${dateText(revoked_at)}`}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Pager {...keys} url={visit.url} />
      </FieldGroup>
    </StudioPage>
  )
}

function NewKey({ newKey, baseUrl, game }: { newKey: NewDeployKey; baseUrl: string; game: string }) {
  const { access_token, secret_key } = newKey
  return (
    <section class="panel stack" aria-labelledby="new-key-heading">
      <h2 id="new-key-heading">Your new deploy key</h2>
      <div class="notice warn" role="status">
        <p>Copy it now. It is not shown again.</p>
      </div>
      <CopyBlock id="access-token" title="Access token" text={access_token} />
      <CopyBlock id="secret-key" title="Secret key" text={secret_key} />
      <CopyBlock
        id="shelf-lines"
        title="On your machine, with shelf"
        text={[
          `shelf init --server ${baseUrl} --game ${game}`,
          `printf '%s\\n%s\\n' '${access_token}' '${secret_key}' | shelf login --stdin`,
          'shelf push --wait',
        ].join('\n')}
      />
      <CopyBlock
        id="ci-lines"
        title="In a pipeline: store both as secrets, then"
        text={[
          '- run: shelf push --wait',
          '  env:',
          `    SHELF_SERVER: ${baseUrl}`,
          '    SHELF_ACCESS_TOKEN: ${{ secrets.SHELF_ACCESS_TOKEN }}',
          '    SHELF_SECRET_KEY: ${{ secrets.SHELF_SECRET_KEY }}',
        ].join('\n')}
      />
    </section>
  )
}

import type { DeployKey, NewDeployKey } from '../../../features/builds/deploy-keys/model.ts'
import type { Publishers } from '../../../features/builds/publishers/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Pager } from '../../components/lists.tsx'
import { SecretPage } from '../../components/secret-page.tsx'
import { FaultSummary, FieldGroup, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, Day } from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { KeyPolicy, PublisherForm, PublisherList } from './publishers.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  added:
    'The pipeline is trusted. It needs no secret: run "shelf init --ci github" or "--ci gitlab" for its workflow.',
  removed: 'The pipeline is trusted no longer. Keys that it had ended.',
  forgot: 'The repository behind the name is forgotten. The next run of the pipeline says which it is.',
  only: 'Only trusted publishers upload builds. All deploy keys ended.',
  allowed: 'Deploy keys are allowed. Issue a new one below.',
}

interface PublishingProps extends TabProps {
  keys: Paged<DeployKey>
  publishers: Publishers
}

export function PublishingPage({ project, state, keys, publishers }: PublishingProps) {
  const { visit, refused } = state
  const { listing, user } = project
  return (
    <StudioPage
      {...{ visit, project }}
      tab="publishing"
      lead="Which pipelines upload builds, symbols and images of this project: trusted ones without a secret, or any that has a deploy key."
      notices={NOTICES}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <PublisherList {...{ project, publishers }} />
      {user.developerMode ? <PublisherForm {...{ project, state, publishers }} /> : null}
      <KeyPolicy project={project} keysAllowed={publishers.keys_allowed} />
      <FieldGroup id="issue" title="Issue a deploy key">
        {!publishers.keys_allowed ? (
          <p class="quiet">Deploy keys are off.</p>
        ) : user.developerMode ? (
          <PostForm action={`/studio/${listing.vanity_name}/deploy-keys`}>
            <p class="small">
              The secret is shown once, on the next page. A new pair ends all earlier ones: pipelines with one
              stop until they get the new one.
            </p>
            <Submit>Issue a deploy key</Submit>
          </PostForm>
        ) : (
          <p>
            Trusted publishers and deploy keys need developer mode.{' '}
            <a href="/account/profile#profile">Turn it on in your account</a>, then come back.
          </p>
        )}
      </FieldGroup>
      <FieldGroup id="keys" title="Deploy keys">
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
                    <Day at={created_at} />
                    {issued_by === null ? '' : `, by ${issued_by.username}`}
                    {issued_by?.has_access === false ? ', who is no longer on the team' : ''}
                  </p>
                </div>
                <Badge tone={revoked_at === null ? 'good' : 'none'}>
                  {revoked_at === null ? (
                    'Works'
                  ) : (
                    <>
                      Revoked <Day at={revoked_at} />
                    </>
                  )}
                </Badge>
              </li>
            ))}
          </ul>
        )}
        <Pager {...keys} url={visit.url} />
      </FieldGroup>
    </StudioPage>
  )
}

interface NewKeyProps {
  visit: Visit
  newKey: NewDeployKey
  baseUrl: string
  game: string
}

export function NewDeployKeyPage({ visit, newKey, baseUrl, game }: NewKeyProps) {
  const { access_token, secret_key } = newKey
  return (
    <SecretPage
      visit={visit}
      title="Your new deploy key"
      warning="Copy it now. It is not shown again."
      back={`/studio/${game}/publishing#keys`}
    >
      <CopyBlock under={1} id="access-token" title="Access token" text={access_token} />
      <CopyBlock under={1} id="secret-key" title="Secret key" text={secret_key} />
      <CopyBlock
        under={1}
        id="shelf-lines"
        title="On your machine, with shelf"
        text={[
          `shelf init --server ${baseUrl} --game ${game}`,
          `printf '%s\\n%s\\n' '${access_token}' '${secret_key}' | shelf login --stdin`,
          'shelf push --wait',
        ].join('\n')}
      />
      <CopyBlock
        under={1}
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
    </SecretPage>
  )
}

import { nameBuilder, type PublisherProvider } from '../../../domain/builds/publishers.ts'
import { type Publisher, type Publishers, PUBLISHERS_MAX } from '../../../features/builds/publishers/model.ts'
import { FieldGroup, PostForm, SelectField, Submit, TextField } from '../../kit/form.tsx'
import { Day } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import type { Project, TabProps } from '../frame/studio-frame.tsx'

interface PublishersProps extends TabProps {
  publishers: Publishers
}

const PROVIDERS: Readonly<Record<PublisherProvider, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI/CD',
  custom: 'Another issuer',
}

/** The pipelines that publish without a stored secret. */
export function PublisherList({ project, publishers }: Omit<PublishersProps, 'state'>) {
  const base = `/studio/${project.listing.vanity_name}/publishing`
  return (
    <FieldGroup
      id="publishers"
      title="Trusted publishers"
      hint="A pipeline proves by a token of its provider which repository and workflow it is, and gets a key for 15 minutes. No secret is stored anywhere."
    >
      {publishers.total === 0 ? (
        <p class="quiet">No pipeline is trusted yet.</p>
      ) : (
        <ul class="records">
          {publishers.items.map((publisher) => (
            <li key={publisher.uid}>
              <div>
                <p>
                  {publisher.repository} <span class="quiet small">{nameBuilder(publisher)}</span>
                </p>
                <p class="quiet small">{describe(publisher)}</p>
                <p class="quiet small">
                  Added <Day at={publisher.created_at} />
                  {publisher.added_by === null ? '' : ` by ${publisher.added_by}`},{' '}
                  {publisher.last_used_at === null ? (
                    'not used yet'
                  ) : (
                    <>
                      last used <Day at={publisher.last_used_at} />
                    </>
                  )}
                </p>
                {publisher.repository_id === null ? null : (
                  <p class="quiet small">
                    Only repository number {publisher.repository_id}: others that take over its name do not
                    publish. Forget it after you moved or made the repository anew.
                  </p>
                )}
              </div>
              {publisher.repository_id === null && publisher.repository_owner_id === null ? null : (
                <PostForm action={`${base}/${publisher.uid}/forget`} class="row">
                  <button
                    type="submit"
                    class="button plain"
                    aria-label={`Forget which repository ${publisher.repository} is`}
                  >
                    Forget
                  </button>
                </PostForm>
              )}
              <PostForm action={`${base}/${publisher.uid}/remove`} class="row">
                <button
                  type="submit"
                  class="button plain"
                  aria-label={`Remove ${publisher.repository}, ${describe(publisher)}`}
                >
                  Remove
                </button>
              </PostForm>
            </li>
          ))}
        </ul>
      )}
    </FieldGroup>
  )
}

export function PublisherForm({ project, state, publishers }: PublishersProps) {
  const field = { form: formOf(state, 'add'), scope: 'add' }
  if (publishers.total >= PUBLISHERS_MAX)
    return (
      <p class="quiet">
        There are {PUBLISHERS_MAX} trusted publishers, which is the most. Remove one to add another.
      </p>
    )
  const issuers = publishers.issuers.map((issuer) => [issuer, issuer] as const)
  return (
    <FieldGroup id="add" title="Add a trusted publisher">
      <PostForm action={`/studio/${project.listing.vanity_name}/publishing`}>
        <SelectField
          {...{ ...field, name: 'provider', label: 'Provider', value: 'github' }}
          options={[
            ['github', PROVIDERS.github],
            ['gitlab', PROVIDERS.gitlab],
            ...(issuers.length > 0 ? [['custom', PROVIDERS.custom] as const] : []),
          ]}
        />
        {issuers.length === 0 ? null : (
          <SelectField
            {...{ ...field, name: 'issuer', label: 'Issuer', value: '' }}
            options={[['', "The provider's own"], ...issuers]}
          />
        )}
        <TextField {...field} name="repository" label="Repository" hint="As moss/garden." />
        <TextField
          {...field}
          name="workflow"
          label="Workflow file (optional)"
          hint="As release.yml. Without it every workflow of the repository may publish."
        />
        <TextField
          {...field}
          name="environment"
          label="Environment (optional)"
          hint="One with required reviewers, if other people can push to the repository."
        />
        <TextField
          {...field}
          name="ref"
          label="Branch or tag (optional)"
          hint="As refs/heads/main or refs/tags/v*; one * at the end stands for anything."
        />
        <TextField
          {...field}
          name="channels"
          label="Channels (optional)"
          hint="The only ones it may upload to, separated by commas: beta, dev."
        />
        <Submit>Add publisher</Submit>
      </PostForm>
    </FieldGroup>
  )
}

/** One button without a confirmation, because the list below shows which keys it ends. */
export function KeyPolicy({ project, keysAllowed }: { project: Project; keysAllowed: boolean }) {
  return (
    <FieldGroup id="policy" title="Only trusted publishers">
      <PostForm action={`/studio/${project.listing.vanity_name}/publishing/policy`}>
        <input type="hidden" name="keys_allowed" value={keysAllowed ? 'false' : 'true'} />
        <p class="small">
          {keysAllowed
            ? 'Deploy keys below work too. Turn them off once your pipelines are trusted: all of them end, and a leaked one is worth nothing.'
            : 'Only the pipelines above upload builds. Deploy keys are off, and none can be issued.'}
        </p>
        <Submit look="second">
          {keysAllowed ? 'Allow only trusted publishers' : 'Allow deploy keys again'}
        </Submit>
      </PostForm>
    </FieldGroup>
  )
}

function describe({ workflow, environment, ref, channels }: Publisher): string {
  const parts = [
    workflow ?? 'any workflow',
    ref ?? 'any branch or tag',
    environment === null ? [] : `environment ${environment}`,
    channels === null ? 'all channels' : `only ${channels.join(', ')}`,
  ]
  return parts.flat().join(', ')
}

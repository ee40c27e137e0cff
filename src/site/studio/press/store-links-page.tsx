import type { StoreLinks } from '../../../features/listings/store-links/model.ts'
import { TextField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'

interface StoreLinksProps {
  project: Project
  state: PageState
  links: StoreLinks
}

/** One field a store; an empty one has no link. */
export function StoreLinksPage({ project, state, links }: StoreLinksProps) {
  const { visit } = state
  const form = formOf(state, 'links')
  return (
    <StudioPage
      {...{ visit, project }}
      tab="store-links"
      lead="Where else players find it. Each link must lead to the store's own site over https; the part after # is dropped."
      notices={{ saved: 'The links are saved.' }}
      scripts={['studio']}
    >
      <FaultSummary form={form} />
      <PostForm action={`/studio/${project.listing.vanity_name}/store-links`} class="form editor">
        <FieldGroup id="links" title="Stores">
          {links.stores.map(({ platform, label, hosts }) => (
            <TextField
              key={platform}
              form={form}
              name={platform}
              label={label}
              value={links.store_links.find((link) => link.platform === platform)?.url ?? ''}
              limit={255}
              inputMode="url"
              placeholder="https://"
              hint={hosts.join(', ')}
            />
          ))}
        </FieldGroup>
        <div class="save-bar">
          <Submit>Save</Submit>
        </div>
      </PostForm>
    </StudioPage>
  )
}

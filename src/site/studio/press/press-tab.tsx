import { SHOWN_MAX, type SuggestedTagPage, VOTES_TO_SHOW } from '../../../features/community/tags/model.ts'
import {
  HISTORY_MAX,
  LINE_MAX,
  LIST_MAX,
  type PressKit,
  RELEASE_DATE_MAX,
  TEAM_MAX,
} from '../../../features/listings/press/model.ts'
import type { StoreLinks } from '../../../features/listings/store-links/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Pager } from '../../components/lists.tsx'
import { AreaField, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { writeBadgeCode, writeEmbedCode } from '../../listing/embed/links.ts'
import { type Project, StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { showEntries } from './press-form.ts'

interface PressTabProps extends TabProps {
  pressKit: PressKit
  /** The address of the store. */
  baseUrl: string
}

export function PressTab({ project, state, pressKit, baseUrl }: PressTabProps) {
  const { visit } = state
  const { vanity_name } = project.listing
  const form = formOf(state, 'press')
  return (
    <StudioPage
      {...{ visit, project }}
      tab="press"
      lead={
        <>
          What journalists need, beside the facts and pictures of the page.{' '}
          <a href={`/games/${vanity_name}/press`}>Open the press page</a>
        </>
      }
      notices={{ saved: 'The press kit is saved.' }}
      scripts={['studio', 'copy']}
    >
      <FaultSummary form={form} />
      <PostForm action={`/studio/${vanity_name}/press`} class="form editor">
        <FieldGroup id="facts" title="Facts">
          <div class="pair">
            <TextField
              form={form}
              name="release_date"
              label="Release date"
              value={pressKit.release_date}
              limit={RELEASE_DATE_MAX}
              hint="Free text, such as Spring 2026."
            />
            <TextField
              form={form}
              name="contact_email"
              label="Press contact"
              value={pressKit.contact_email}
              inputMode="email"
              hint="An e-mail address. Everybody can read it."
            />
          </div>
          <div class="pair">
            <TextField
              form={form}
              name="website"
              label="Website"
              value={pressKit.website}
              inputMode="url"
              placeholder="https://"
            />
            <TextField
              form={form}
              name="trailer_url"
              label="Trailer"
              value={pressKit.trailer_url}
              inputMode="url"
              placeholder="https://"
            />
          </div>
          <AreaField
            form={form}
            name="history"
            label="History (Markdown)"
            value={pressKit.history}
            limit={HISTORY_MAX}
            rows={8}
          />
        </FieldGroup>
        <FieldGroup id="lists" title="Lists" hint="One entry a line; a bar | separates its parts.">
          <AreaField
            form={form}
            name="features"
            label="Features"
            value={pressKit.features.join('\n')}
            hint={`Up to ${LIST_MAX} of ${LINE_MAX} characters.`}
          />
          <AreaField
            form={form}
            name="awards"
            label="Awards"
            value={pressKit.awards.join('\n')}
            hint={`Up to ${LIST_MAX} of ${LINE_MAX} characters.`}
          />
          <AreaField
            form={form}
            name="links"
            label="Links"
            value={showEntries(pressKit, 'links')}
            placeholder="Presskit | https://games.example.org/press"
            hint={`Label | https link. Up to ${LIST_MAX}.`}
          />
          <AreaField
            form={form}
            name="quotes"
            label="Quotes"
            value={showEntries(pressKit, 'quotes')}
            placeholder="A quiet joy. | Example Magazine | https://magazine.example.org/"
            hint={`Quote | source | link if there is one. Up to ${LIST_MAX}.`}
          />
          <AreaField
            form={form}
            name="team"
            label="Team"
            value={showEntries(pressKit, 'team')}
            placeholder="Ada | Music"
            hint={`Name | role | link, the last two if you like. Up to ${TEAM_MAX}.`}
          />
        </FieldGroup>
        <div class="save-bar">
          <Submit>Save</Submit>
        </div>
      </PostForm>
      <EmbedCodes {...{ visit, project }} baseUrl={baseUrl} />
    </StudioPage>
  )
}

interface EmbedCodesProps {
  visit: Visit
  project: Project
  baseUrl: string
}

/** The lines that show the listing on other websites; nobody else could see what is not open. */
function EmbedCodes({ visit, project: { listing }, baseUrl }: EmbedCodesProps) {
  const { vanity_name: vanityName, name, visibility, adult } = listing
  const isShown = (visibility === 'public' || visibility === 'invisible') && !adult
  const embedded = { baseUrl, vanityName, name, storeName: visit.store.settings.name }
  return (
    <FieldGroup
      id="embed"
      title="On other websites"
      hint="Without script and cookies. Editors that know oEmbed take the address of the page alone."
    >
      {isShown ? (
        <>
          <CopyBlock id="embed-code" title="Embed" text={writeEmbedCode(embedded)} />
          <CopyBlock id="badge-code" title="Badge" text={writeBadgeCode(embedded)} />
          <p>
            <a href={`/embed/${vanityName}`}>Preview the embed</a>
          </p>
        </>
      ) : (
        <p class="quiet">
          {adult
            ? 'Listings with adult content are not shown on other websites.'
            : 'It can be embedded once its page is open.'}
        </p>
      )}
    </FieldGroup>
  )
}

const NOTICES: Readonly<Record<string, string>> = {
  hidden: 'The tag is hidden. Its votes are kept.',
  shown: 'The tag may be shown again.',
}

interface CommunityTagsProps extends TabProps {
  tags: SuggestedTagPage
  /** Minutes of play time required to suggest tags. */
  tagMinutes: number
}

export function CommunityTagsPage({ project, state, tags, tagMinutes }: CommunityTagsProps) {
  const { visit } = state
  return (
    <StudioPage
      {...{ visit, project }}
      tab="community-tags"
      lead={`Players who own the game and played for ${countText(tagMinutes, 'minute')} may suggest tags. One is shown once ${VOTES_TO_SHOW} players suggested it; at most ${SHOWN_MAX} are shown, and your own are not repeated.`}
      notices={NOTICES}
    >
      <FaultSummary form={formOf(state, 'tag')} />
      <FieldGroup id="suggested" title="Suggested tags">
        {tags.total === 0 ? (
          <p class="quiet">Nobody has suggested a tag yet.</p>
        ) : (
          <ul class="records">
            {tags.items.map(({ tag, votes, hidden, shown }) => (
              <li key={tag}>
                <div>
                  <p>{tag}</p>
                  <p class="quiet small">{countText(votes, 'vote')}</p>
                </div>
                <div class="row">
                  <Badge tone={shown ? 'good' : 'none'}>
                    {hidden ? 'Hidden' : shown ? 'Shown' : 'Not shown'}
                  </Badge>
                  <PostForm action={`/studio/${project.listing.vanity_name}/community-tags`} class="row">
                    <input type="hidden" name="tag" value={tag} />
                    <input type="hidden" name="hidden" value={String(!hidden)} />
                    <Submit look="second small">
                      {hidden ? 'Show' : 'Hide'} {tag}
                    </Submit>
                  </PostForm>
                </div>
              </li>
            ))}
          </ul>
        )}
        <Pager {...tags} url={visit.url} />
      </FieldGroup>
    </StudioPage>
  )
}

/** One field per store; an empty field means no link. */
export function StoreLinksPage({ project, state, links }: TabProps<{ links: StoreLinks }>) {
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

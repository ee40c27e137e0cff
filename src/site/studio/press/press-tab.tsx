import {
  HISTORY_MAX,
  LINE_MAX,
  LIST_MAX,
  type PressKit,
  RELEASE_DATE_MAX,
  TEAM_MAX,
} from '../../../features/listings/press/model.ts'
import { AreaField, TextField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'
import { showLines } from './press-form.ts'

interface PressTabProps {
  project: Project
  state: PageState
  pressKit: PressKit
}

export function PressTab({ project, state, pressKit }: PressTabProps) {
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
      scripts={['studio']}
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
            value={showLines(pressKit, 'links')}
            placeholder="Presskit | https://games.example.org/press"
            hint={`Label | https link. Up to ${LIST_MAX}.`}
          />
          <AreaField
            form={form}
            name="quotes"
            label="Quotes"
            value={showLines(pressKit, 'quotes')}
            placeholder="A quiet joy. | Example Magazine | https://magazine.example.org/"
            hint={`Quote | source | link if there is one. Up to ${LIST_MAX}.`}
          />
          <AreaField
            form={form}
            name="team"
            label="Team"
            value={showLines(pressKit, 'team')}
            placeholder="Ada | Music"
            hint={`Name | role | link, the last two if you like. Up to ${TEAM_MAX}.`}
          />
        </FieldGroup>
        <div class="save-bar">
          <Submit>Save</Submit>
        </div>
      </PostForm>
    </StudioPage>
  )
}
